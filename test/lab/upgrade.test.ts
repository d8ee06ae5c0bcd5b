import { mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makePerson } from '../support/master/admin-master.ts';
import { waitFor } from '../support/wait-for.ts';
import { openCloud, type LabCloud } from './kit/cloud.ts';
import { sharedLab } from './kit/lab.ts';
import { hubAddress } from './kit/surroundings.ts';
import type { Jvm } from './stage/jvms.ts';
import { InstalledMaster } from './upgrade/installed-master.ts';
import { MasterPackages, type Variant } from './upgrade/master-packages.ts';
import { nightly } from './kit/nightly.ts';

/**
 * Maximum time for an upgrade to a version that does not start, including the return to the previous version (ms).
 */
const RETURN_WITHIN_MS = 90_000;

const STORE = '/var/lib/overworld-upgrade';

const GONE = "if (command === 'run') { console.error('broken on purpose'); process.exit(3); }";
const NO_SSH = "if (command === 'ssh-service') { console.error('broken on purpose'); process.exit(3); }";
const SILENT = "if (command === 'run') { setInterval(() => {}, 1_000); return; }";

/** Code of a master that changes the data as a faulty migration would, and exits. */
const SPOILS = `if (command === 'run') {
  const { readFileSync, rmSync, writeFileSync } = require('node:fs');
  const data = '/var/lib/overworld/';
  writeFileSync(data + 'state/services.json', '{"format":2}');
  writeFileSync(data + 'state/holds.json', '{}');
  writeFileSync(data + 'config/keys.json', '{"keys":[]}');
  rmSync(data + 'config/templates/lobby.json');
  process.exit(1);
}`;

/** Code of a master that reports a mistake in the settings that the installed version does not report. */
const STRICT = `if (command === 'check') {
  const problem = 'provider.location is no longer supported.';
  console.log(JSON.stringify([{ severity: 'mistake', file: 'config/master.json', problem }]));
  process.exit(1);
}`;

const lab = sharedLab();
let cloud: LabCloud;
let folder: string;
let packages: MasterPackages;
const anna = makePerson('anna');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'overworld-upgrade-'));
  packages = await MasterPackages.prepare(folder);
  cloud = await openCloud(lab, hubAddress);
});

afterAll(async () => {
  await cloud.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a master from a Debian package', () => {
  let master: InstalledMaster;
  let jvms: Jvm[];

  beforeAll(async () => {
    master = new InstalledMaster(await lab.boot({ sshKeys: [anna.publicKey] }), cloud);
    const first = put({ version: '1.0.0' });
    await master.node.must(`dpkg -i ${first}`);
    master.remove(first);
    await master.start();
  });

  beforeEach(async () => {
    jvms = await master.jvms();
  });

  afterEach(async () => {
    // Whatever happens to the master, the same service continues to run in the same JVM, and the master reports this
    // service.
    expect(await master.jvms()).toEqual(jvms);
    expect(jvms.map(({ service }) => service)).toEqual(['lobby-1']);
    await waitFor(async () => (await master.services()) === 'lobby-1 RUNNING', { what: 'the service' });
    expect(await master.node.must('dpkg --verify overworld-master')).toBe('');
    expect((await master.node.run(`test -e ${STORE}/work`)).code).toBe(1);
  });

  /** Builds a deb and copies it to the node. @returns the path on the node */
  function put(variant: Variant): string {
    const deb = packages.deb(variant);
    const path = master.put(deb);
    rmSync(deb);
    return path;
  }

  async function installed(): Promise<string> {
    return master.node.must("dpkg-query -W -f '${Version} ${db:Status-Abbrev}' overworld-master");
  }

  it('is upgraded while its services keep running, and reports the length of the interruption', async () => {
    const file = put({ version: '1.1.0' });
    const before = await master.pid();
    const run = await master.upgrade(file);
    expect(run).toMatchObject({ code: 0, version: '1.1.0', before: '1.0.0', returned: false, error: null });
    expect(run.steps).toEqual(['verify done', 'check done', 'keep done', 'install done', 'serve done']);
    expect(await installed()).toBe('1.1.0 ii ');
    expect(await master.version()).toBe('1.1.0');
    expect(await master.pid()).not.toBe(before);

    // Compare the measured pause with the log of the master.
    const said = await master.node.must('journalctl -u overworld-master --no-pager -o cat');
    const timeOf = (message: string): number => {
      const line = said.split('\n').findLast((one) => one.includes(message)) ?? '';
      return Date.parse((JSON.parse(line) as { readonly time: string }).time);
    };
    const logged = timeOf('"ready"') - timeOf('shutdown requested');
    process.stderr.write(`pause of the control loop: ${run.pauseMs} ms, ${logged} ms in the log\n`);
    expect(run.pauseMs).toBeGreaterThan(logged * 0.5);
    expect(run.pauseMs).toBeLessThan(logged + 8_000);

    expect(await master.upgrade(file)).toMatchObject({
      code: 0,
      unchanged: true,
      steps: ['verify unchanged'],
    });
    master.remove(file);
  });

  it.each<[string, () => string, RegExp]>([
    [
      'a damaged package',
      () => {
        const file = put({ version: '1.2.0' });
        truncateSync(join(master.node.root, file), 50_000_000);
        return file;
      },
      /damaged/,
    ],
    ['a file that is no package', () => '/usr/bin/env', /neither a deb nor a tar\.gz/],
    ['a missing file', () => '/root/none.deb', /none\.deb is not installed/],
    ['a package for another architecture', () => put({ version: '1.2.0', arch: 'arm64' }), /it is for arm64/],
    ['an older version', () => put({ version: '1.0.1' }), /older than the installed version 1\.1\.0/],
    ['another package', () => put({ version: '1.2.0', name: 'overworld' }), /the package overworld/],
    [
      'a version that cannot use the data',
      () => put({ version: '1.2.0', code: STRICT }),
      /1\.2\.0 cannot use config\/master\.json of this master: provider\.location is no longer/,
    ],
    [
      'a program that does not run',
      () => put({ version: '1.2.0', code: 'nonsense(' }),
      /does not run on this machine/,
    ],
  ])('refuses %s as an upgrade, and changes nothing', async (_what, make, why) => {
    const file = make();
    const before = await master.pid();
    const { code, stdout, stderr } = await master.node.run(`overworld-master upgrade ${file}`);
    expect(code).toBe(1);
    expect(stderr).toMatch(why);
    expect(stdout).not.toContain('install');
    expect(await master.pid()).toBe(before);
    expect(await installed()).toBe('1.1.0 ii ');
    if (file.startsWith('/root/1')) master.remove(file);
  });

  it.runIf(nightly)('refuses an upgrade if the disk is full, and changes nothing', async () => {
    const file = put({ version: '1.2.0' });
    const before = await master.pid();
    await master.node.fillDisk();
    try {
      expect(await master.upgrade(file)).toMatchObject({
        ...{ code: 1, returned: false, steps: ['verify failed'] },
        error: {
          code: 'UPGRADE_REFUSED',
          message: expect.stringMatching(/0 MB free, but the upgrade needs \d{3} MB/) as string,
        },
      });
    } finally {
      master.node.freeDisk();
    }
    expect(await master.pid()).toBe(before);
    expect(await installed()).toBe('1.1.0 ii ');
    master.remove(file);
  });

  it.runIf(nightly).each([
    { what: 'does not start', version: '1.2.0', code: GONE, why: /it ended with exit code 3 each time/ },
    { what: 'starts but never serves', version: '1.2.1', code: SILENT, why: /local socket within 60 s/ },
    {
      ...{ what: 'starts, but its SSH service does not', version: '1.2.4', code: NO_SSH },
      why: /it did not serve SSH within 60 s/,
    },
    {
      what: 'spoils the data at its start',
      version: '1.2.2',
      code: SPOILS,
      why: /it ended with exit code 1/,
    },
  ])(
    'returns to the previous version with its data if the new version $what',
    async ({ version, code, why }) => {
      const file = put({ version, code });
      await master.node.must('overworld-master template hold lobby');
      const documents = ['config/keys.json', 'config/templates/lobby.json', 'state/holds.json'];
      const before = await Promise.all(documents.map((path) => master.read(path)));
      const began = Date.now();
      const run = await master.upgrade(file);
      const tookMs = Date.now() - began;
      process.stderr.write(`${version}: returned after ${tookMs} ms, pause ${run.pauseMs} ms\n`);
      expect(run).toMatchObject({
        ...{ code: 1, version, before: '1.1.0', returned: true },
        error: { code: 'UPGRADE_RETURNED', message: expect.stringMatching(why) as string },
      });
      expect(run.steps.slice(-3)).toEqual(['install done', 'serve failed', 'return done']);
      expect(run.log.join('\n')).toMatch([GONE, NO_SSH].includes(code) ? /broken on purpose/ : /./);
      expect(tookMs).toBeLessThan(
        [SILENT, NO_SSH].includes(code) ? RETURN_WITHIN_MS + 60_000 : RETURN_WITHIN_MS,
      );
      expect(await installed()).toBe('1.1.0 ii ');
      expect(await master.version()).toBe('1.1.0');
      expect(await Promise.all(documents.map((path) => master.read(path)))).toEqual(before);
      expect((await master.untilUpgraded()).result).toMatchObject({ version, returned: true });
      await master.node.must('overworld-master template put-back lobby');
      master.remove(file);
    },
  );

  it.runIf(nightly)(
    'is upgraded even if SSH disconnects, and a second upgrade waits for the first',
    async () => {
      const file = put({ version: '1.2.3' });
      const client = await login(master.node.address, anna.privateKey);
      await new Promise<void>((resolve, reject) => {
        client.exec(`overworld-master upgrade ${file} --json`, (error, channel) => {
          if (error !== undefined) reject(error);
          else channel.once('data', () => resolve());
        });
      });
      // The server notices that the client is gone, and sends SIGHUP to the processes of the session.
      client.destroy();
      const second = await master.node.run(`overworld-master upgrade ${file}`, { timeoutMs: 600_000 });
      expect(second.stderr).toContain('An upgrade is running already');
      expect(second.stdout).toContain('Version 1.2.3 is installed. Before, it was version 1.1.0.');
      expect(await installed()).toBe('1.2.3 ii ');
      master.remove(file);
    },
  );

  it.runIf(nightly)(
    'repeats an upgrade that was killed during the installation, and knows the correct previous version',
    async () => {
      const file = put({ version: '1.3.0' });
      const killed = master.node.run(`overworld-master upgrade ${file} --json`, { timeoutMs: 600_000 });
      await waitFor(async () => (await master.node.run('pgrep -x dpkg')).code === 0, {
        what: 'dpkg',
        timeoutMs: 120_000,
      });
      await master.node.must('systemctl kill --signal=KILL overworld-master-upgrade');
      expect(await killed).toMatchObject({ code: 1 });
      expect((await killed).stderr).toContain('The upgrade was interrupted before it had finished');
      expect((await master.node.run('overworld-master upgrade --status')).code).toBe(1);

      // An attempt that is refused must not erase the mark of the interrupted upgrade.
      const damaged = put({ version: '1.3.1' });
      truncateSync(join(master.node.root, damaged), 50_000_000);
      expect(await master.upgrade(damaged)).toMatchObject({
        ...{ code: 1, before: '1.2.3', error: { code: 'UPGRADE_REFUSED' } },
      });
      master.remove(damaged);

      expect(await master.upgrade(file)).toMatchObject({
        ...{ code: 0, version: '1.3.0', before: '1.2.3', error: null },
        steps: ['verify done', 'check done', 'keep unchanged', 'install done', 'serve done'],
      });
      expect(await installed()).toBe('1.3.0 ii ');
      master.remove(file);
    },
  );

  it.runIf(nightly)(
    'keeps the two previous versions with their data, and can return to each of them',
    async () => {
      const kept = await master.node.must(`cd ${STORE} && ls -d [0-9]*`);
      expect(kept.split('\n').sort()).toEqual(['1.1.0', '1.2.3']);
      for (const version of ['1.1.0', '1.2.3']) {
        expect(await master.node.must(`dpkg-deb --field ${STORE}/${version}/package.deb Version`)).toBe(
          version,
        );
        await master.node.must(`test -s ${STORE}/${version}/data/config/host_key`);
      }
      expect(await master.node.must(`stat -c %a:%U ${STORE} ${STORE}/1.1.0/data`)).toBe(
        '711:root\n700:overworld',
      );
      const run = await master.upgrade(`${STORE}/1.2.3/package.deb`, '--allow-downgrade');
      expect(run).toMatchObject({ code: 0, version: '1.2.3', before: '1.3.0', error: null });
      expect(await master.version()).toBe('1.2.3');
    },
  );
});

describe.runIf(nightly)('a master from a tar.gz archive', () => {
  it('is upgraded by replacing its folder, and returns to the previous version if the new one does not start', async () => {
    const master = new InstalledMaster(await lab.boot(), cloud);
    const { node } = master;
    const put = (variant: Variant): string => master.put(packages.tarball(variant));
    const first = put({ version: '1.0.0' });
    await node.must(
      [
        'mkdir /usr/lib/overworld-master',
        `tar -xzf ${first} -C /usr/lib/overworld-master --strip-components=1`,
        'ln -s /usr/lib/overworld-master/bin/overworld-master /usr/bin/overworld-master',
        'cp /usr/lib/overworld-master/system/overworld-master.service /etc/systemd/system/',
        'systemd-sysusers /usr/lib/overworld-master/system/overworld-master.conf',
        'install -d -o overworld -g overworld -m 700 /var/lib/overworld',
        `overworld-master init --owner-key "${anna.publicKey}"`,
        'systemctl daemon-reload',
        'systemctl enable --now overworld-master',
      ].join(' && '),
    );
    await waitFor(() => master.version(), { what: 'the master' });

    const second = put({ version: '1.1.0' });
    expect(await master.upgrade(second)).toMatchObject({
      code: 0,
      version: '1.1.0',
      before: '1.0.0',
      error: null,
    });
    expect(await master.version()).toBe('1.1.0');
    const versionIn = (folder: string) => node.must(`${folder}/bin/node ${folder}/index.js --version`);
    expect(await versionIn('/usr/lib/overworld-master.previous')).toBe('1.0.0');

    expect(await master.upgrade(put({ version: '1.2.0', code: GONE }))).toMatchObject({
      ...{ code: 1, version: '1.2.0', before: '1.1.0', returned: true },
      error: { code: 'UPGRADE_RETURNED' },
    });
    expect(await master.version()).toBe('1.1.0');
    expect(await node.must('ls -d /usr/lib/overworld-master*')).toBe('/usr/lib/overworld-master');

    expect(await master.upgrade(put({ version: '1.3.0' }))).toMatchObject({
      code: 0,
      before: '1.1.0',
      error: null,
    });
    expect(await versionIn('/usr/lib/overworld-master.previous')).toBe('1.1.0');
    expect((await node.must(`cd ${STORE} && ls -d [0-9]*`)).split('\n')).toEqual(['1.0.0', '1.1.0']);

    truncateSync(join(node.root, second), 20_000_000);
    expect(await master.upgrade(second)).toMatchObject({
      code: 1,
      error: { code: 'UPGRADE_REFUSED', message: expect.stringContaining('damaged') as string },
    });
    const deb = packages.deb({ version: '1.4.0' });
    expect(await master.upgrade(master.put(deb))).toMatchObject({
      code: 1,
      error: { message: expect.stringContaining('it is a deb, but the master of this machine') as string },
    });
    // This test packs and unpacks many archives, which takes a minute on an idle machine.
  });
});

/** Logs in to the node's own SSH server as root. */
function login(host: string, privateKey: string): Promise<ssh2.Client> {
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client();
    client.on('ready', () => resolve(client));
    client.on('error', reject);
    client.connect({ host, port: 22, username: 'root', privateKey, hostVerifier: () => true });
  });
}
