import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { fillDisk } from '../files/small-disk.ts';
import { call, openSftp } from '../files/sftp.ts';
import { setConfig } from '../master/network.ts';
import { waitFor } from '../wait-for.ts';
import { findFaketime, type ChaosNetwork } from './chaos-network.ts';
import type { FaultKind } from '#test/fake/hetzner/http/faults.ts';
import { repeat, type Fault } from './faults.ts';
import { nightly } from '#test/lab/kit/nightly.ts';

const MB = 1_048_576;
const HOUR_MS = 3_600_000;

/** Time between two removals of the key (ms). */
const REVOKED_EVERY_MS = nightly ? 5_000 : 1_000;
/** Time after a removal in which no write is allowed (ms). */
const QUIET_MS = 300;
/** Time for which the master is stopped (ms). */
const STOPPED_MS = nightly ? 90_000 : 3_500;
/** Time for which the disk stays full (ms). */
const FULL_MS = 1_000;

/** The root user of a cloud node lies about its services and the services of other nodes. */
export const hostileNode: Fault = {
  name: 'a hostile node lies about services, sends garbage and floods',
  async run(network, moment) {
    await network.waitUntilReady();
    const { nodes } = network;
    const attacks = (): number => nodes.reduce((sum, node) => sum + node.attacks, 0);
    const before = attacks();
    const ids = ['gate-1', 'lobby-1', 'lobby-2', 'rogue-1', 'big-77'];
    const claims = ids.map((id) => ({ id, template: id.replace(/-\d+$/, '') }));
    const setHostile = (hostile: boolean): void => {
      for (const node of nodes) Object.assign(node, { hostile, claims });
    };
    setHostile(true);
    await waitFor(() => attacks() > before + 5, { what: 'the node to attack' });
    // New nodes also become hostile. Sometimes the nodes are honest, because the master asks a node that it has
    // distrusted for long only seldom.
    await repeat(moment, 2_000, () => setHostile(moment.chance.integer(0, 4) > 0));
    setHostile(false);
    return `${attacks() - before} hostile answers of ${nodes.length} nodes`;
  },
};

/** A key is removed repeatedly while a client uploads with it. */
export const revokedKey: Fault = {
  name: 'the key of uploads is removed again and again',
  allowed: { files: /^templates\/uploads\/|^config\/keys\.json$/, entries: /^key\.(added|removed)$/ },
  async run(network, moment) {
    let isDone = false;
    const uploading = uploadAgainAndAgain(network, () => isDone);
    let removed = 0;
    await repeat(moment, 0, async () => {
      const before = await newestWrite(network);
      await waitFor(async () => (await newestWrite(network)) > before, { what: 'an upload' });
      await new Promise((resolve) => setTimeout(resolve, REVOKED_EVERY_MS));
      await network.master.call('keys.remove', { key: network.people.files.name });
      const atRemoval = await newestWrite(network);
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      expect(await newestWrite(network), 'last write after the removal of the key').toBe(atRemoval);
      removed += 1;
      await network.authorize('files');
    }).finally(() => (isDone = true));
    const uploads = await uploading;
    return `${removed} removals, ${uploads} complete uploads`;
  },
};

async function uploadAgainAndAgain(network: ChaosNetwork, isOver: () => boolean): Promise<number> {
  const content = Buffer.alloc(2 * MB, 'upload ');
  let uploads = 0;
  while (!isOver()) {
    const client = await network.logIn(network.people.files).catch(() => null);
    if (client === null) continue;
    client.on('error', () => undefined);
    const ended = new Promise<void>((resolve) => client.on('close', () => resolve()));
    const upload = async (): Promise<void> => {
      const sftp = await openSftp(client);
      for (let number = 0; !isOver(); number++) {
        const path = `/templates/uploads/${number % 3}.txt`;
        await call((done) => sftp.writeFile(path, content, done));
        uploads += 1;
      }
    };
    await Promise.race([upload().catch(() => undefined), ended]);
    client.end();
  }
  return uploads;
}

/** Returns the time of the last write to a file in the folder of the uploads (ms since epoch, with fractions). */
async function newestWrite({ data }: ChaosNetwork): Promise<number> {
  const folder = join(data, 'templates', 'uploads');
  const times = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).mtimeMs);
  return Math.max(0, ...(await Promise.all(times)));
}

/**
 * The master's disk is full repeatedly. The master must store each change that it confirms, and refuse all other
 * changes.
 */
export const fullDisk: Fault = {
  name: 'the disk of the master is full',
  allowed: { files: /^config\/templates\/uploads\.json$/, entries: /^template\.changed$/ },
  async run(network, moment) {
    const { data, master } = network;
    const outcome = { refused: 0, stored: 0 };
    let wanted = 0;
    await repeat({ ...moment, isOver: () => moment.isOver() && outcome.refused > 0 }, 200, async () => {
      let free = await fillDisk(data);
      try {
        const emptyAt = performance.now() + FULL_MS;
        while (performance.now() < emptyAt) {
          wanted += 1;
          const error: unknown = await setConfig(master, 'uploads', { maxPlayers: wanted }).catch(
            (e: unknown) => e,
          );
          if (error !== undefined) expect(error).toMatchObject({ code: 'DISK_FULL' });
          outcome[error === undefined ? 'stored' : 'refused'] += 1;
          const template = (await master.call('templates.list', {})).find(({ id }) => id === 'uploads');
          if (error === undefined) expect(template?.config.maxPlayers).toBe(wanted);
          // Fill the disk again, because services and the master may have freed some space.
          free = await fillDisk(data);
        }
      } finally {
        await free();
      }
    });
    return `${outcome.refused} changes refused, ${outcome.stored} stored`;
  },
};

const PROVIDER_FAULTS: readonly FaultKind[] = [
  { kind: 'refuse', status: 401, code: 'unauthorized' },
  { kind: 'refuse', status: 403, code: 'forbidden' },
  { kind: 'refuse', status: 429, code: 'rate_limit_exceeded' },
  { kind: 'refuse', status: 503, code: 'unavailable' },
  { kind: 'unreadable' },
  { kind: 'empty 500' },
  { kind: 'bad gateway', after: true },
  { kind: 'answer lost' },
  { kind: 'cut' },
];

/** The provider refuses and limits requests, loses answers, and sends garbage. */
export const faultyProvider: Fault = {
  name: 'the provider answers 401, 429 and garbage',
  async run({ fake, master }, moment) {
    const before = fake.requests.length;
    fake.faults.choose(() => moment.chance.pick(PROVIDER_FAULTS));
    // Because this service fits on no node, the master sends a request to the provider.
    const { id } = await master.call('services.start', { template: 'big' });
    await waitFor(() => fake.requests.length > before, { what: 'a request to the provider' });
    await repeat(moment, 500, () => master.call('nodes.provider', {}));
    fake.faults.clear();
    await master.call('services.stop', { id, kill: true });
    const names = fake.everOrdered().map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    return `${fake.requests.length - before} requests`;
  },
};

/** The master's clock jumps forward and back. */
export const clockJumps: Fault = {
  name: 'the clock of the master jumps',
  skipped: findFaketime() === undefined ? 'libfaketime is not installed' : null,
  async run({ clock, master }, moment) {
    if (clock === null) throw new Error('the master has no clock that can be moved');
    const jumpsMs = [-24, -1, 1, 24, 24 * 7].map((hours) => hours * HOUR_MS);
    const jumps = await repeat(moment, 1_500, async () => {
      clock.advance(moment.chance.pick(jumpsMs) - clock.aheadMs);
      await master.call('services.list', {});
    });
    clock.advance(-clock.aheadMs);
    return `${jumps} jumps`;
  },
};

/** The master is killed at random moments. */
export const killedMaster: Fault = {
  name: 'the master is killed again and again',
  async run(network, moment) {
    const kills = await repeat(moment, 0, async () => {
      await new Promise((resolve) => setTimeout(resolve, moment.chance.integer(0, 1_500)));
      await network.master.kill();
      await network.startMaster();
    });
    return `${kills} kills`;
  },
};

/** The master is stopped and continues, as in a debugger or in a frozen virtual machine. */
export const stoppedMaster: Fault = {
  name: `the master is stopped for ${STOPPED_MS / 1_000} s`,
  async run({ master }, moment) {
    const times = await repeat(moment, 1_000, async () => {
      process.kill(master.pid, 'SIGSTOP');
      try {
        await new Promise((resolve) => setTimeout(resolve, STOPPED_MS));
      } finally {
        process.kill(master.pid, 'SIGCONT');
      }
      await master.call('master.info', {});
    });
    return `${times} times`;
  },
};
