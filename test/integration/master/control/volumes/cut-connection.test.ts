import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { VolumeSaves } from '#master/control/volumes/volume-saves.ts';
import { connect } from '#master/nodes/ssh/connect.ts';
import { NodeConnection } from '#master/nodes/ssh/connection.ts';
import { noShell } from '#master/nodes/shell.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import { NodeTool } from '#master/runtime/systemd/node-tool.ts';
import { ServiceCalls } from '#master/runtime/systemd/service-calls.ts';
import { SnapshotCalls } from '#master/runtime/systemd/snapshots/snapshot-calls.ts';
import { RecordStore } from '#master/state/services/record-store.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { EventLog } from '#master/store/event-log.ts';
import { Volumes } from '#master/volumes/volumes.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import { startByteRelay } from '#test/support/byte-relay.ts';
import { canStartSshd, startSshd } from '#test/support/files/sshd.ts';
import { startSavingServer } from '#test/support/nodes/saving-server.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const ID = 'survival-1';
const NODE = 'node-1';
const KB = 1_024;

/** Number of small files in the world. Their paths make the list of a snapshot longer than 350 KB. */
const FILES = 300;
const DEEP = Array.from({ length: 5 }, () => 'x'.repeat(240)).join('/');
/** Size of the file that each save of the test transfers (bytes). */
const REGION = 6_000 * KB;

/** Calls of a save to the node, in the order in which they are made. */
type Call = 'take' | 'read' | 'fetch' | 'end';

/** Opens a connection to the node, and returns the calls over this connection. */
async function callsOver(port: number, ssh: { key: string; hostKey: string }, tool: string) {
  const target = { node: NODE, host: '127.0.0.1', port, pins: [ssh.hostKey] };
  const connection = new NodeConnection(NODE, await connect(target, ssh.key, new AbortController().signal));
  // Use the tool of this repository, because the tool is not installed on this machine.
  const here = (command: string): string => command.replace(/\/usr\/local\/lib\/overworld\/\w+/, tool);
  const nodeTool = new NodeTool(
    NODE,
    { ...noShell(NODE), connected: true, speak: (command) => connection.speak(here(command)) },
    { isCalledOften: true },
  );
  const close = async (): Promise<void> => {
    nodeTool.close();
    connection.end('the test has ended');
    await connection.broken;
  };
  return { close, snapshots: new SnapshotCalls(NODE, nodeTool), services: new ServiceCalls(NODE, nodeTool) };
}

/** Creates a master with a running service on a node. A test can cut the connection between master and node. */
async function aMaster() {
  const [server, sshd, folder] = [await startSavingServer(), await startSshd(), temporaryFolder()];
  await mkdir(join(server.world, DEEP), { recursive: true });
  for (let file = 0; file < FILES; file += 1) await writeFile(join(server.world, DEEP, String(file)), '');
  const relay = await startByteRelay({ host: '127.0.0.1', port: sshd.port });
  onTestFinished(() => relay.close());
  const open = () => callsOver(relay.port, sshd, server.tool);
  let calls = await open();
  onTestFinished(() => calls.close());

  const begun: Call[] = [];
  const noted = (call: Call): SnapshotCalls => {
    begun.push(call);
    return calls.snapshots;
  };
  const runtime: Partial<Runtime> = {
    takeSnapshot: (id, pause) => noted('take').take(id, pause),
    readSnapshot: (id) => noted('read').read(id),
    fetchSnapshot: (id, files, to) => noted('fetch').fetch(id, files, to),
    endSnapshot: (id, result) => noted('end').end(id, result),
    command: (id, line) => calls.services.command(id, line),
  };

  const config = masterConfigSchema.parse({});
  const [now, settings] = [() => Date.now(), () => config.volumes];
  const events = await EventLog.open(join(folder, 'activity.jsonl'), now);
  onTestFinished(() => events.close());
  const volumes = await Volumes.open({
    ...{ folder: join(folder, 'volumes'), copies: dataFolderAt(folder), disks: noReserves(), settings, now },
  });
  const records = await RecordStore.open(join(folder, 'services.json'));
  const record = records.add({ id: ID, template: 'survival', requestedAt: 1, cause: 'test', manual: false });
  const values = templateConfigSchema.parse({
    name: 'survival',
    persistentPaths: ['world/'],
    isProxy: false,
  });
  Object.assign(record, { node: NODE, startedAt: now(), state: 'RUNNING', placed: { values } });
  const volume = await volumes.make(ID);
  await volume.attach(ID, NODE, true);
  const context = {
    ...{ now, log: pino({ level: 'silent' }), events, volumes, records },
    config: { master: { config } },
    registry: { nodes: () => [] },
    runtimeOf: () => runtime,
  };
  const saves = new VolumeSaves(context as never);
  const volumeFolder = join(folder, 'volumes/survival/1');

  /** Writes new content to the large file, and saves the volume. */
  const save = async (): Promise<void> => {
    const region = randomBytes(REGION);
    await writeFile(join(server.world, 'region.mca'), region);
    begun.length = 0;
    const { save: id } = await saves.saveNow('survival/1', 'the test');
    const saved = await readFile(join(volumeFolder, 'saves', id, 'world/region.mca'));
    expect(saved.equals(region)).toBe(true);
  };
  const reconnect = async (): Promise<void> => {
    await calls.close();
    calls = await open();
  };
  return { server, relay, volume, volumeFolder, saves, save, begun, reconnect };
}

describe.runIf(canStartSshd)('a save whose connection to the node is cut', () => {
  it.each([
    { during: 'the pause of the server', last: 'take', bytes: null },
    { during: 'the transfer of the list', last: 'read', bytes: 150 * KB },
    { during: 'the transfer of the contents', last: 'fetch', bytes: 2_500 * KB },
  ])('fails, changes nothing, and is repeated later (cut during $during)', async ({ last, bytes }) => {
    const { server, relay, volume, saves, save, begun, reconnect, volumeFolder } = await aMaster();
    await save();
    expect(begun).toEqual(['take', 'read', 'fetch', 'end']);
    expect(await server.commands()).toEqual(['save-off', 'save-all flush', 'save-on']);
    const [before, stored] = [volume.saves(), await readdir(join(volumeFolder, 'saves'))];

    let interrupted: Promise<unknown>;
    if (bytes === null) {
      const earlier = (await server.commands()).length;
      await server.setBusy(true);
      interrupted = save();
      // The server answers `save-off` before it executes the next command.
      await waitFor(async () => (await server.commands()).length > earlier, { what: 'the pause' });
      relay.cut();
    } else {
      relay.cutAfter(bytes);
      interrupted = save();
    }
    await expect(interrupted).rejects.toMatchObject({ code: 'VOLUME_SAVE_FAILED' });
    // The copies on the node cannot be removed now. The next snapshot removes them.
    expect(begun.slice(-2)).toEqual([last, 'end']);
    expect(volume.saves()).toEqual(before);
    expect((await readdir(join(volumeFolder, 'saves'))).sort()).toEqual(stored.sort());
    expect((await readdir(volumeFolder)).sort()).toEqual(['saves', 'volume.json']);
    expect(volume.problem).toContain('could not be saved');

    // The node itself turns on the saving of the server again, without the master.
    if (bytes === null) await server.setBusy(false);
    const number = await server.number();
    await waitFor(async () => (await server.number()) > number, { what: 'the world to be saved again' });
    expect((await server.commands()).at(-1)).toBe('save-on');

    await reconnect();
    await waitFor(
      () => {
        saves.carryOn();
        return volume.attachment?.paused === false;
      },
      { what: 'the end of the pause to be noted' },
    );
    const latest = await server.number();
    await save();
    const [newest] = volume.saves();
    expect(newest).toMatchObject({ consistent: true, current: true });
    const saved = join(volumeFolder, 'saves', newest?.save ?? '', 'world/number');
    expect(Number(await readFile(saved, 'utf8'))).toBeGreaterThanOrEqual(latest);
    expect(volume.saves()).toHaveLength(before.length + 1);
    expect(volume.problem).toBeNull();
    expect(volume.attachment?.paused).toBe(false);
  });
});
