import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keepData } from '#master/control/volumes/keep-data.ts';
import { VolumeCommands } from '#master/control/volumes/volume-commands.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import { RecordStore } from '#master/state/services/record-store.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { EventLog } from '#master/store/event-log.ts';
import { Volumes } from '#master/volumes/volumes.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { aMaster, seenOn } from '#test/support/master/observing-master.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';
import { aRentedNode } from '#test/support/nodes/rented-node.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const SERVICE = 'survival-1';
const VOLUME = 'survival/1';
const NODE = 'node-1';

type Found = 'alive' | 'ended' | 'nothing';

/**
 * Creates a service on a node that answers. The last save was made 60 s ago. If `isBroken` is set, the service's
 * files cannot be read.
 */
async function aServiceOnANode(found: Found) {
  const folder = temporaryFolder();
  const world = { now: 1_000_000, found, isBroken: false, isLost: false, reads: 0 };
  const now = (): number => world.now;
  const events = await EventLog.open(join(folder, 'activity.jsonl'), now);
  onTestFinished(() => events.close());
  const settings = () => masterConfigSchema.parse({}).volumes;
  const volumes = await Volumes.open({
    ...{ folder: join(folder, 'volumes'), copies: dataFolderAt(folder), disks: noReserves(), settings, now },
  });
  const records = await RecordStore.open(join(folder, 'services.json'));
  const hash = createHash('sha256').update('a world').digest('hex');
  const file = { path: 'world/level.dat', size: 7, mode: 0o600, hash, modifiedAtMs: 1 };
  const common = { spec: serviceSpec({ id: SERVICE }), port: 25_565, host: '10.99.0.11', startedAt: 5 };
  // Saving data and giving up data need only these calls of a runtime.
  const runtime = {
    observe: () =>
      Promise.resolve(
        world.found === 'nothing' ? [] : [{ ...common, state: world.found, pid: null, exit: null }],
      ),
    takeSnapshot: () => Promise.resolve(true),
    readSnapshot: () => {
      world.reads += 1;
      return world.isBroken
        ? Promise.reject(new Error('input/output error'))
        : Promise.resolve({ files: [file], skipped: [] });
    },
    fetchSnapshot: (_, files, to) =>
      Promise.all(files.map((one) => writeFile(join(to, one.hash), 'a world'))).then(() => undefined),
    endSnapshot: () => Promise.resolve(),
    // The functions under test call no other method.
  } satisfies Partial<Runtime> as unknown as Runtime;
  const registry = { nodes: () => [aRentedNode({ id: NODE, state: world.isLost ? 'LOST' : 'READY' })] };
  const context = {
    ...{ now, log: pino({ level: 'silent' }), events, volumes, records, registry },
    runtimeOf: () => runtime,
  };
  const volume = await volumes.make(SERVICE);
  await volume.attach(SERVICE, NODE, true);
  world.now += 60_000;
  const keep = () =>
    keepData({ service: SERVICE, node: NODE, cause: 'a test', exit: { code: 0, signal: null } }, context);
  // The commands use only these members of the context and of the loop.
  const commands = new VolumeCommands(context as never, { poke: () => undefined } as never);
  const accept = () => commands.acceptLoss(VOLUME, 'anna');
  const losses = () => events.query({ limit: 20, kinds: ['volume.lost'] }).map(({ message }) => message);
  const place = () => {
    records.add({ id: SERVICE, template: 'survival', requestedAt: 1, cause: 'test', manual: false }).node =
      NODE;
  };
  return { world, volume, keep, accept, losses, place };
}

describe("the request to accept the loss of a service's data on a node", () => {
  it('is rejected while the service is running, even if its saves fail', async () => {
    const { world, volume, keep, accept, place } = await aServiceOnANode('alive');
    place();
    world.isBroken = true;
    await expect(keep()).rejects.toMatchObject({ code: 'VOLUME_SAVE_FAILED' });
    await expect(accept()).rejects.toMatchObject({ code: 'VOLUME_NOT_LOST', details: { running: true } });
    expect(volume.attachment?.lossAccepted).toBe(false);
  });

  it('is rejected if no save has failed', async () => {
    const { accept, place } = await aServiceOnANode('ended');
    place();
    const refused = accept();
    await expect(refused).rejects.toMatchObject({ code: 'VOLUME_NOT_LOST', details: { running: false } });
    await expect(refused).rejects.not.toThrow(/stop the service/i);
  });

  it('takes effect after the service has exited and the last attempt to save has failed', async () => {
    const { world, volume, keep, accept, losses, place } = await aServiceOnANode('ended');
    place();
    world.isBroken = true;
    await expect(keep()).rejects.toMatchObject({ code: 'VOLUME_SAVE_FAILED' });
    expect(await accept()).toBe(60_000);
    expect(volume.attachment?.node).toBe(NODE);
    expect(losses()).toEqual([]);
    await keep();
    expect(volume.attachment).toBeNull();
    expect(losses()).toEqual(['survival-1 lost up to 1 min of data: what was written since its last save']);
  });

  it('lets the next save begin at once, and has no effect if this save succeeds', async () => {
    const { world, volume, keep, accept, losses, place } = await aServiceOnANode('ended');
    place();
    world.isBroken = true;
    await expect(keep()).rejects.toMatchObject({ code: 'VOLUME_SAVE_FAILED' });
    await expect(keep()).rejects.toMatchObject({ code: 'VOLUME_SAVE_FAILED' });
    expect(world.reads).toBe(1);
    world.isBroken = false;
    await accept();
    await keep();
    expect(world.reads).toBe(2);
    expect(volume.attachment).toBeNull();
    expect(volume.saves()).toHaveLength(1);
    expect(losses()).toEqual([]);
  });

  it('has no effect if the first attempt to save succeeds', async () => {
    const { volume, keep, losses } = await aServiceOnANode('ended');
    await volume.acceptLoss();
    await keep();
    expect(volume.attachment).toBeNull();
    expect(volume.saves()).toHaveLength(1);
    expect(losses()).toEqual([]);
  });

  it('takes effect at once if the node has no files of the service', async () => {
    const { volume, accept, losses } = await aServiceOnANode('nothing');
    expect(await accept()).toBe(60_000);
    expect(volume.attachment).toBeNull();
    expect(losses()).toHaveLength(1);
  });

  it('takes effect at once if the node is lost', async () => {
    const { world, volume, accept } = await aServiceOnANode('alive');
    world.isLost = true;
    expect(await accept()).toBe(60_000);
    expect(volume.attachment).toBeNull();
  });

  it('stops the old process when a lost node returns before the service has started again', async () => {
    const { world, records, volumes, events, placed, look, done } = await aMaster(NODE);
    const record = placed(SERVICE, NODE);
    const volume = await volumes.make(SERVICE);
    await volume.attach(SERVICE, NODE, true);
    await look([seenOn(NODE, SERVICE)]);
    const registry = { nodes: () => [aRentedNode({ id: NODE, state: 'LOST' })] };
    const context = { now: () => world.now, events, volumes, records, registry };
    // The command uses only these members of the context and of the loop.
    const commands = new VolumeCommands(context as never, { poke: () => undefined } as never);
    await commands.acceptLoss(VOLUME, 'anna');
    await look([], [NODE]);
    await look([seenOn(NODE, SERVICE)]);
    expect(done[0]).toBe(`stop ${SERVICE} on ${NODE}`);
    expect(record).toMatchObject({ node: null, state: 'REQUESTED' });
    expect(volume.attachment).toBeNull();
  });
});
