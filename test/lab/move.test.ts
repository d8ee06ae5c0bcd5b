import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TemplateConfig } from '#shared/config/template.ts';
import type { Service } from '#shared/model/service.ts';
import { FAKE_TOKEN } from '../fake/hetzner/fake-hetzner.ts';
import { hasRestic } from '../support/backup/restic.ts';
import { makePerson } from '../support/master/admin-master.ts';
import { SMALL } from '../support/master/network.ts';
import { joinAsPlayer } from '../support/players/player.ts';
import { waitFor } from '../support/wait-for.ts';
import { shellBlocks } from '../unit/docs/pages.ts';
import { openCloud, type LabCloud } from './kit/cloud.ts';
import { sharedLab } from './kit/lab.ts';
import type { LabNode } from './kit/node.ts';
import { bringPackage, changeDocument, masterDeb } from './kit/packaged-master.ts';
import { hubAddress } from './kit/surroundings.ts';
import { jvmsOn } from './stage/jvms.ts';
import { nightly } from './kit/nightly.ts';

/** Every command of docs/moving.md, run literally on booted machines that have the package of the master. */
describe('the instructions in docs/moving.md', () => {
  const lab = sharedLab();

  /** Boots a server with the package of the master in root's home folder. */
  async function server(name: string): Promise<LabNode> {
    const node = await lab.boot({ name });
    await bringPackage(node);
    await node.must('systemctl is-system-running --wait || true');
    return node;
  }

  /** Lets root of one server log in to another one, as its admin can. */
  async function allowLogin(from: LabNode, to: LabNode): Promise<void> {
    await from.must("ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519");
    const key = await from.must('cat /root/.ssh/id_ed25519.pub');
    await to.must('mkdir -p -m 700 /root/.ssh && cat >> /root/.ssh/authorized_keys', { input: `${key}\n` });
    await to.waitForSsh();
    await from.must(`ssh-keyscan -t ed25519 ${to.address} >> /root/.ssh/known_hosts 2>/dev/null`);
  }

  /**
   * Sets up a master that orders nodes from the cloud, with a template `gate` for proxies and a template `lobby` for
   * game servers.
   */
  async function setUp(node: LabNode, cloud: LabCloud): Promise<void> {
    await node.must(`apt-get install /root/${masterDeb}`);
    await node.must(`overworld-master init --owner-key "${makePerson('anna').publicKey}"`);
    await changeDocument(node, 'config/master.json', (config) => ({
      ...config,
      communication: { ...(config['communication'] as object), hostname: node.address },
      provider: { api_token: FAKE_TOKEN, server_type: 'cpx22', location: 'nbg1', configure_mode: false },
      firewall_rules: [{ port: '25565-25999', protocol: 'tcp' }],
    }));
    // The template needs a maximum: until its plugin is linked, an empty proxy counts as in use because of the
    // players on the network.
    await addTemplate(node, {
      id: 'gate',
      jar: 'practice-proxy.jar',
      isProxy: true,
      maximumOnlineServers: 2,
    });
    await addTemplate(node, { id: 'lobby', jar: 'practice-server.jar', isFallback: true });
    await node.must(`echo 'OPTIONS=--provider-url ${cloud.api.url}' > /etc/default/overworld-master`);
  }

  async function addTemplate(
    node: LabNode,
    { id, jar, ...config }: Partial<TemplateConfig> & { id: string; jar: string },
  ): Promise<void> {
    await changeDocument(node, `config/templates/${id}.json`, () => ({
      ...SMALL,
      minimumRunningServers: 1,
      killUnusedTooManyServersAfter: -1,
      ...config,
    }));
    await node.must(
      `runuser -u overworld -- install -D /usr/lib/overworld-master/${jar} /var/lib/overworld/templates/${id}/server.jar`,
    );
  }

  /** Runs a block of commands as docs/moving.md shows it. @returns the output of the commands */
  async function follow(node: LabNode, block: string, to: LabNode): Promise<string> {
    const literal = block
      .replaceAll('203.0.113.8', to.address)
      .replaceAll('overworld-master_VERSION_amd64.deb', masterDeb);
    const { code, stdout, stderr } = await node.run(`set -e; cd /root\n${literal}`, { input: 'y\n' });
    // doctor exits with code 1 if it finds a mistake, for example because of the clock of the lab.
    const wanted = literal.endsWith('overworld-master doctor') ? [0, 1] : [0];
    expect(wanted, `${literal}\n${stderr}${stdout}`).toContain(code);
    return stdout;
  }

  /**
   * Returns the services that the master lists, such as `gate-1 RUNNING node-1 linked` for a proxy with a linked
   * plugin.
   */
  async function services(node: LabNode): Promise<string[]> {
    const list = JSON.parse(await node.must('overworld-master service list --json')) as Service[];
    return list
      .map(({ id, state, node: on, plugin }) =>
        [id, state, on ?? '-', ...(plugin === null ? [] : [plugin.state])].join(' '),
      )
      .sort();
  }

  /** Returns the port of a service on a cloud node, which is part of the name of its user. */
  async function portOf(service: string, cloud: LabCloud): Promise<number> {
    const jvm = (await jvmsOn(cloud.nodes)).find((one) => one.service === service);
    return Number(/\d+$/.exec(jvm?.user ?? '')?.[0]);
  }

  const waitForServices = async (node: LabNode, wanted: readonly string[]): Promise<void> => {
    await waitFor(
      async () => {
        const found = await services(node);
        if (found.join() === wanted.join()) return true;
        throw new Error(await node.must('overworld-master status'));
      },
      { timeoutMs: 400_000, what: wanted.join(', ') },
    );
  };

  it('describe a move that first empties the old server, and keeps services and players on cloud nodes', async () => {
    const cloud = await openCloud(lab, hubAddress);
    const [old, fresh] = await Promise.all([server('old'), server('fresh')]);
    await allowLogin(old, fresh);
    await setUp(old, cloud);
    // Change the unit of this master, so that it also runs services itself.
    await old.must(
      `mkdir -p /etc/systemd/system/overworld-master.service.d && cat > /etc/systemd/system/overworld-master.service.d/local.conf && systemctl daemon-reload`,
      {
        input: `[Service]\nExecStart=\nExecStart=/usr/lib/overworld-master/bin/node /usr/lib/overworld-master/index.js run --data /var/lib/overworld --local-unsafe --local-ram 1200 $OPTIONS\n`,
      },
    );
    await old.must('systemctl start overworld-master');
    await waitForServices(old, ['gate-1 RUNNING local linked', 'lobby-1 RUNNING local']);

    const [install = '', list = '', empty = '', stop = '', copy = '', start = '', remove = ''] = shellBlocks(
      'docs/moving.md',
      'Moving to another server',
    );
    await follow(fresh, install, fresh);
    expect(await follow(old, list, fresh)).toContain('local');
    await follow(old, empty, fresh);
    await waitForServices(old, ['gate-2 RUNNING node-1 linked', 'lobby-2 RUNNING node-1']);
    expect(await jvmsOn([old])).toEqual([]);

    const [node] = cloud.nodes;
    if (node === undefined) throw new Error('no service runs on a cloud node');
    const join = async (gate: string, username: string) =>
      joinAsPlayer({ host: node.address, port: await portOf(gate, cloud), username });
    const player = await join('gate-2', 'Alex');
    // One more service of each template starts, because the others are in use.
    const wanted = [
      'gate-2 IN_USE node-1 linked',
      'gate-3 RUNNING node-1 linked',
      'lobby-2 IN_USE node-1',
      'lobby-3 RUNNING node-1',
    ];
    await waitForServices(old, wanted);
    const jvms = await jvmsOn(cloud.nodes);

    await follow(old, stop, fresh);
    await follow(old, copy, fresh);
    await fresh.must(`echo 'OPTIONS=--provider-url ${cloud.api.url}' > /etc/default/overworld-master`);
    const doctor = await follow(fresh, start, fresh);
    await waitForServices(fresh, wanted);
    expect(doctor).toMatch(new RegExp(`ok +own address: ${fresh.address} `));
    expect(await fresh.must('find /var/lib/overworld ! -user overworld')).toBe('');

    await player.stay();
    expect(await jvmsOn(cloud.nodes)).toEqual(jvms);
    expect(cloud.api.everOrdered()).toHaveLength(1);

    // The proxies keep their shares of the player limit, which the old master granted.
    expect(await fresh.must('overworld-master activity')).not.toContain('granted at most');
    // The plugins have the list of servers from the new master.
    const guest = await join('gate-3', 'Steve');
    await guest.leave();
    await player.stay();
    await player.leave();
    await follow(old, remove, fresh);
    await old.must('test ! -e /var/lib/overworld && test ! -e /usr/bin/overworld-master');
    await cloud.close();
  });

  it.runIf(nightly && hasRestic)(
    'describe a restore from a backup after which the master adopts services on cloud nodes (needs restic)',
    async () => {
      const cloud = await openCloud(lab, hubAddress);
      const [old, store] = await Promise.all([server('burning'), lab.boot({ name: 'store' })]);
      await setUp(old, cloud);
      await old.must('systemctl start overworld-master');
      const wanted = ['gate-1 RUNNING node-1 linked', 'lobby-1 RUNNING node-1'];
      await waitForServices(old, wanted);
      const jvms = await jvmsOn(cloud.nodes);
      const atStore = (block: string) =>
        block
          .replaceAll('backup@backup.example', `root@${store.address}`)
          .replaceAll('backup.example', store.address);

      const [makeKey = '', configure = ''] = shellBlocks('docs/operations.md', 'Over SFTP');
      const key = await follow(old, makeKey, old);
      await store.must('mkdir -p -m 700 /root/.ssh && cat >> /root/.ssh/authorized_keys', {
        input: `${key}\n`,
      });
      await store.waitForSsh();
      await old.must(
        `ssh-keyscan -t ed25519 ${store.address} > /var/lib/overworld/.ssh/known_hosts 2>/dev/null`,
      );
      await old.must('chown overworld: /var/lib/overworld/.ssh/known_hosts');
      copyFileSync('/usr/bin/restic', join(old.root, 'usr/bin/restic'));
      await follow(old, atStore(configure), old);
      await old.must('overworld-master backup run');
      const password = await old.must('cat /var/lib/overworld/backup/password');
      const login = await old.must('tar -C /var/lib/overworld -c .ssh | base64');
      await old.crash();

      const [install = '', bringKey = '', restore = ''] = shellBlocks('docs/moving.md', 'With a backup');
      const fresh = await server('restored');
      copyFileSync('/usr/bin/restic', join(fresh.root, 'usr/bin/restic'));
      await follow(fresh, install, fresh);
      // On the page, a command reads this password from the terminal.
      await fresh.must('cat > /root/backup-password', { input: password });
      await fresh.must('base64 -d | tar -C /root -x', { input: login });
      await follow(fresh, bringKey, fresh);
      await fresh.must(`echo 'OPTIONS=--provider-url ${cloud.api.url}' > /etc/default/overworld-master`);
      await follow(fresh, atStore(restore), fresh);
      await waitForServices(fresh, wanted);
      expect(await jvmsOn(cloud.nodes)).toEqual(jvms);
      expect(cloud.api.everOrdered()).toHaveLength(1);
      await cloud.close();
    },
  );
});
