import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { HAND_OVER_FILE } from '#shared/link/messages.ts';
import { inPath } from '../../../../../build/scripts/set-up/system-packages.mjs';
import { openSshAs, type Finished, type OpenSsh } from '#test/support/files/openssh.ts';
import { FORWARDING_SECRET, startViews, type ViewsFixture } from '#test/support/files/views-fixture.ts';

/**
 * In these tests, third-party clients copy whole folders of running services and of volumes. Clients that are not
 * installed are skipped, and named in the report.
 */

let data: string;
let views: ViewsFixture;
let tools: OpenSsh;
const REGION = randomBytes(1_500_000);

/** Writes the files of a service that each copy must contain. */
async function fillServer(folder: string): Promise<void> {
  await mkdir(join(folder, 'world', 'region'), { recursive: true });
  await mkdir(join(folder, 'plugins', 'Chat Plus'), { recursive: true });
  for (const name of ['r.0.0.mca', 'r.0.1.mca'])
    await writeFile(join(folder, 'world', 'region', name), REGION);
  await writeFile(join(folder, 'world', 'zero'), '');
  await writeFile(join(folder, 'plugins', 'Chat Plus', 'Grüße [1].yml'), 'hello: "world"\n');
  await writeFile(join(folder, 'paper-global.yml'), `secret: ${FORWARDING_SECRET}\n`);
  for (let n = 0; n < 200; n++) await writeFile(join(folder, 'plugins', `small-${n}.json`), `{"n": ${n}}`);
  await utimes(join(folder, 'world', 'zero'), 1_600_000_000, 1_600_000_000);
}

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'overworld-views-'));
  views = await startViews(data);
  const live = await views.addService('survival-1');
  await fillServer(live);
  await writeFile(join(live, HAND_OVER_FILE), 'token=abc');
  // Clients skip this link, because the master does not show its target.
  await symlink('/etc/passwd', join(live, 'link'));
  for (let n = 0; n < 3; n++) {
    await views.addSave('survival/1', async (folder) => {
      await fillServer(folder);
      await writeFile(join(folder, 'counter'), String(n));
    });
  }
  tools = await openSshAs(views.master, await views.master.authorize('files'));
});
afterAll(async () => {
  await tools.close();
  await views.master.close();
  await rm(data, { recursive: true, force: true });
});

async function newFolder(): Promise<string> {
  return mkdtemp(join(data, 'local-'));
}

function expectDone({ code, output }: Finished): string {
  expect(code, output).toBe(0);
  return output;
}

/** Verifies that a folder contains all files of the service or the volume, and no other files. */
async function expectCopy(folder: string, ...more: string[]): Promise<void> {
  const paths = await readdir(folder, { recursive: true });
  expect(paths.filter((path) => !path.includes('small-')).sort()).toEqual(
    [
      ...['paper-global.yml', 'plugins', 'plugins/Chat Plus', 'plugins/Chat Plus/Grüße [1].yml', 'world'],
      ...['world/region', 'world/region/r.0.0.mca', 'world/region/r.0.1.mca', 'world/zero', ...more],
    ].sort(),
  );
  expect(paths.filter((path) => path.includes('small-'))).toHaveLength(200);
  for (const name of ['r.0.0.mca', 'r.0.1.mca'])
    expect((await readFile(join(folder, 'world', 'region', name))).equals(REGION), name).toBe(true);
  expect(await readFile(join(folder, 'plugins', 'small-7.json'), 'utf8')).toBe('{"n": 7}');
  expect(await readFile(join(folder, 'paper-global.yml'), 'utf8')).toMatch(
    /^secret: removed-by-overworld-+\n$/,
  );
  expect((await stat(join(folder, 'world', 'zero'))).size).toBe(0);
}

const sources = [
  { from: '/services/survival-1', more: [] },
  { from: '/volumes/survival/1', more: ['counter'] },
];

describe.each(sources)('the files in $from', ({ from, more }) => {
  it('are copied completely and with their times by the sftp program of OpenSSH', async () => {
    const folder = await newFolder();
    const output = expectDone(await tools.sftp(`get -rp ${from} ${join(folder, 'copy')}\n`));
    expect(output).not.toMatch(/denied|Failure/);
    await expectCopy(join(folder, 'copy'), ...more);
    expect((await stat(join(folder, 'copy', 'world', 'zero'))).mtimeMs).toBe(1_600_000_000_000);
  });

  it('continue to be copied by the sftp program of OpenSSH after an interruption', async () => {
    const folder = await newFolder();
    await writeFile(join(folder, 'part'), REGION.subarray(0, 700_001));
    expectDone(await tools.sftp(`reget ${from}/world/region/r.0.0.mca ${join(folder, 'part')}\n`));
    expect((await readFile(join(folder, 'part'))).equals(REGION)).toBe(true);
  });

  it.skipIf(!inPath('lftp'))('are copied completely by lftp, several files at a time', async () => {
    const folder = await newFolder();
    const ssh = ['ssh', '-a', '-x', ...tools.options].join(' ');
    const script = [
      ...['set cmd:fail-exit yes', 'set net:max-retries 1', 'set net:timeout 20'],
      `set sftp:connect-program "${ssh}"`,
      `open -u overworld,unused -p ${views.master.server.port} sftp://${views.master.server.host}`,
      `mirror --parallel=4 ${from} ${join(folder, 'copy')}`,
      'bye',
    ].join('\n');
    expectDone(await tools.run('lftp', ['--norc', '-c', script]));
    await expectCopy(join(folder, 'copy'), ...more);
  });

  it.skipIf(!inPath('rclone'))(
    'are copied completely by rclone, and a second run finds nothing to transfer',
    async () => {
      const folder = await newFolder();
      const copy = () =>
        tools.run(
          'rclone',
          ['copy', `ow:${from}`, join(folder, 'copy'), '-v', '--stats-one-line', '--retries', '1'],
          {
            env: {
              RCLONE_CONFIG: join(tools.files.folder, 'none'),
              RCLONE_CONFIG_OW_TYPE: 'sftp',
              RCLONE_CONFIG_OW_HOST: views.master.server.host,
              RCLONE_CONFIG_OW_PORT: String(views.master.server.port),
              RCLONE_CONFIG_OW_USER: 'overworld',
              RCLONE_CONFIG_OW_KEY_FILE: tools.files.key,
              RCLONE_CONFIG_OW_KNOWN_HOSTS_FILE: tools.files.knownHosts,
              RCLONE_CONFIG_OW_SHELL_TYPE: 'none',
              RCLONE_CONFIG_OW_DISABLE_HASHCHECK: 'true',
              // Skip links, because rclone would try to read them as files.
              RCLONE_CONFIG_OW_SKIP_LINKS: 'true',
            },
          },
        );
      expectDone(await copy());
      await expectCopy(join(folder, 'copy'), ...more);
      expect(expectDone(await copy())).toMatch(/There was nothing to transfer/);
    },
  );

  it('cannot be changed by a client while the service is running', async () => {
    const local = join(await newFolder(), 'new');
    await writeFile(local, 'new');
    await views.volumes.get('survival/1').attach('survival-1', 'node-1');
    onTestFinished(async () => {
      await views.volumes.get('survival/1').detach('survival-1', 'node-1');
    });
    for (const line of [
      `put ${local} ${from}/new`,
      `rm ${from}/world/zero`,
      `mkdir ${from}/folder`,
      `rename ${from}/world ${from}/world2`,
      `chmod 777 ${from}/world/zero`,
    ]) {
      const { code, output } = await tools.sftp(`${line}\n`);
      expect(code, line).not.toBe(0);
      expect(output, line).toMatch(/ermission denied|read-only/);
    }
  });
});

describe('the files of a volume without a service', () => {
  const at = '/volumes/building/1';
  const volume = () => views.volumes.get('building/1');

  it('can be changed by the sftp program of OpenSSH, which then reads the changed files', async () => {
    await views.addSave('building/1', fillServer);
    const folder = await newFolder();
    await fillServer(join(folder, 'second'));
    await writeFile(join(folder, 'longer.txt'), 'longer');
    expectDone(await tools.sftp(`put -rp ${join(folder, 'second')} ${at}/copied\n`));
    expectDone(
      await tools.sftp(
        [
          `put ${join(folder, 'longer.txt')} ${at}/world/zero`,
          `rename ${at}/world/region/r.0.1.mca ${at}/world/region/r.5.5.mca`,
          `rm ${at}/plugins/small-7.json`,
          `mkdir ${at}/empty`,
          `chmod 750 ${at}/plugins/small-8.json`,
          '',
        ].join('\n'),
      ),
    );
    expectDone(await tools.sftp(`get -rp ${at} ${join(folder, 'now')}\n`));
    await expectCopy(join(folder, 'now', 'copied'));
    expect(await readFile(join(folder, 'now', 'world', 'zero'), 'utf8')).toBe('longer');
    expect((await readdir(join(folder, 'now', 'world', 'region'))).sort()).toEqual([
      'r.0.0.mca',
      'r.5.5.mca',
    ]);
    await volume().attach('building-1', 'node-1');
    const [newest, before] = volume().saves();
    expect(newest?.cause).toMatch(/^changed over SFTP by files \d+$/);
    const { removed, changed } = await volume().compare(before?.save ?? '', newest?.save ?? '');
    expect(removed).toEqual(['plugins/small-7.json', 'world/region/r.0.1.mca']);
    expect(changed).toEqual(['plugins/small-8.json', 'world/zero']);
    const saved = await newFolder();
    expectDone(await tools.sftp(`get -rp ${at} ${join(saved, 'copy')}\n`));
    const sorted = async (top: string) => (await readdir(top, { recursive: true })).sort();
    expect(await sorted(join(saved, 'copy'))).toEqual(await sorted(join(folder, 'now')));
    expect((await stat(join(saved, 'copy', 'plugins', 'small-8.json'))).mode & 0o777).toBe(0o750);
    expect((await stat(join(saved, 'copy', 'copied', 'world', 'zero'))).mtimeMs).toBe(1_600_000_000_000);
  });
});

it('a copy of an earlier save contains the files as they were at that time', async () => {
  const folder = await newFolder();
  const saves = expectDone(await tools.sftp('ls -1 /volumes/survival/1/.saves\n'))
    .split('\n')
    .filter((line) => line.startsWith('/volumes/'));
  expect(saves).toHaveLength(3);
  expectDone(await tools.sftp(`get -r ${saves[0] ?? ''} ${join(folder, 'copy')}\n`));
  await expectCopy(join(folder, 'copy'), 'counter');
  expect(await readFile(join(folder, 'copy', 'counter'), 'utf8')).toBe('0');
});
