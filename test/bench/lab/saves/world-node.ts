import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { saveService } from '#master/control/volumes/save-service.ts';
import { WorldSaving } from '#master/control/volumes/world-saving.ts';
import { LogStore } from '#master/runtime/log/log-store.ts';
import { NO_PROVISION, type Runtime, type ServiceSpec } from '#master/runtime/runtime.ts';
import type { SavingPause } from '#master/runtime/saving-pause.ts';
import { prepareNode } from '#master/runtime/systemd/prepare-node.ts';
import { createSystemdRuntime } from '#master/runtime/systemd/systemd-runtime.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { EventLog } from '#master/store/event-log.ts';
import { openTemplateFolders } from '#master/templates/template-folders.ts';
import type { Volume } from '#master/volumes/volume.ts';
import { Volumes } from '#master/volumes/volumes.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import type { LabNode } from '#test/lab/kit/node.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';
import { worldServerJar } from '#test/support/players/world-server.ts';
import { waitFor } from '#test/support/wait-for.ts';
import type { Scope } from '../../kit/scope.ts';
import { TMPFS } from '../../kit/sftp/our-sftp.ts';
import { openShell, type Way } from '../open-shell.ts';

const ID = 'survival-1';
/** Folder of the world on the node. */
export const WORLD = `/var/lib/overworld/services/${ID}/world`;
const REGIONS = `${WORLD}/region`;

/** Number of files that one command on the node writes. It is small, so that the command ends in time. */
const FILES_AT_ONCE = 50;

/** Size of a region file (bytes). */
export const REGION_BYTES = 4 * 1_048_576;

/** Node with a running server whose world has many region files, and a volume of a master. No master runs. */
export class WorldNode {
  readonly node: LabNode;
  /** For each save, the time for which the server could not write its world (ms). */
  readonly pausesMs: number[] = [];
  readonly #runtime: Runtime;
  readonly #volume: Volume;
  readonly #events: EventLog;
  readonly #spec: ServiceSpec;
  readonly #worlds = new WorldSaving();

  private constructor(
    node: LabNode,
    parts: { runtime: Runtime; volume: Volume; events: EventLog; spec: ServiceSpec },
  ) {
    this.node = node;
    this.#runtime = parts.runtime;
    this.#volume = parts.volume;
    this.#events = parts.events;
    this.#spec = parts.spec;
  }

  /** Starts the server on a node, and makes a first save of its world with `regions` region files. */
  static async open(
    scope: Scope,
    node: LabNode,
    { way, regions }: { way: Way; regions: number },
  ): Promise<WorldNode> {
    const shell = await openShell(scope, node, way);
    await prepareNode(shell, { node: node.name, masterPort: 0 });
    const folder = await scope.folder(TMPFS);
    const templates = await openTemplateFolders({
      root: join(folder, 'templates'),
      revisions: join(folder, 'revisions'),
      quietMs: 150,
    });
    scope.add(() => templates.close());
    await mkdir(join(folder, 'templates', 'survival'), { recursive: true });
    await copyFile(await worldServerJar(), join(folder, 'templates', 'survival', 'server.jar'));
    await templates.create('survival');
    const { revision } = await waitFor(() => {
      const state = templates.state('survival');
      return !state.changing && state.revision !== null ? state : null;
    });
    const logs = new LogStore(join(folder, 'logs'));
    scope.add(() => logs.close());
    const runtime = createSystemdRuntime({
      ...{ node: node.name, cluster: 'cluster-1', shell, address: () => node.address, templates, logs },
      ...{ sharedFiles: join(folder, 'files'), whereIs: () => 'here', ports: { from: 25_565, to: 25_999 } },
    });
    scope.add(() => runtime.close());
    const events = await EventLog.open(join(folder, 'activity.jsonl'), Date.now);
    scope.add(() => events.close());
    const settings = () => masterConfigSchema.parse({}).volumes;
    const volumes = await Volumes.open({
      ...{ folder: join(folder, 'volumes'), copies: dataFolderAt(folder), disks: noReserves(), settings },
      now: Date.now,
    });
    const volume = await volumes.make(ID);
    const spec = serviceSpec({
      id: ID,
      template: 'survival',
      revision: revision ?? '',
      persistentPaths: ['world/'],
    });
    const world = new WorldNode(node, { runtime, volume, events, spec });
    await world.prepare();
    await world.start();
    await world.change(regions);
    await world.save();
    world.pausesMs.length = 0;
    return world;
  }

  /**
   * Replaces the content of this number of region files, and keeps their sizes. Does not touch other files, because a
   * save reads each file with a new change time (ctime).
   */
  async change(regions: number): Promise<void> {
    const file = `${REGIONS}/r.$i.0.mca`;
    const random = `head -c ${REGION_BYTES} /dev/urandom > ${file} && chown --reference=${WORLD} ${file}`;
    for (let at = 1; at <= regions; at += FILES_AT_ONCE) {
      const last = Math.min(regions, at + FILES_AT_ONCE - 1);
      await this.node.must(`for i in $(seq ${at} ${last}); do ${random}; done`);
    }
  }

  /** Saves the volume as a running master does. */
  async save(): Promise<void> {
    const nothing = () => Promise.resolve();
    const takeSnapshot = async () => {
      const at = Date.now();
      const note = { begin: nothing, end: nothing };
      const { consistent } = await this.#worlds.takeSnapshot(ID, { runtime: this.#timed(), note });
      if (!consistent) throw new Error('the server was not asked to write its world');
      return { at, consistent };
    };
    const save = {
      volume: this.#volume,
      service: ID,
      node: this.node.name,
      cause: 'a benchmark',
      exited: false,
      takeSnapshot,
    };
    const log = pino({ level: 'silent' });
    await saveService(save, { runtimeOf: () => this.#runtime, log, events: this.#events });
  }

  /** Stops the server and removes its files from the node. */
  async stop(): Promise<void> {
    await this.#runtime.stop(ID, { graceMs: 10_000 });
    await this.#runtime.forget(ID);
    await this.#volume.detach(ID, this.node.name);
  }

  /** Prepares the service with the newest save of its volume. */
  async prepare(): Promise<void> {
    await this.#volume.attach(ID, this.node.name);
    const volume = await this.#volume.lease();
    await this.#runtime.prepare(this.#spec, { ...NO_PROVISION, volume });
    volume?.release();
  }

  /** Starts the prepared server, and stops it from changing its world. */
  async start(): Promise<void> {
    await this.#volume.markStarted(ID, this.node.name);
    await this.#runtime.start(ID);
    const sees = (words: string) => async () =>
      (await this.#runtime.tailLog(ID, 20)).some((line) => line.includes(words));
    await waitFor(sees('Done ('), { what: 'the server to start' });
    await this.#runtime.command(ID, 'freeze');
    await waitFor(sees('The world does not change any more'), { what: 'the world to be frozen' });
  }

  /** Returns the runtime. Each snapshot adds the time for which the server could not write to {@link pausesMs}. */
  #timed(): Pick<Runtime, 'command' | 'takeSnapshot'> {
    const runtime = this.#runtime;
    return {
      command: (id, line) => runtime.command(id, line),
      takeSnapshot: (id, pause) => {
        if (pause === undefined) return runtime.takeSnapshot(id);
        const ended = (seen: SavingPause): void => {
          this.pausesMs.push(seen.ms);
          pause.ended(seen);
        };
        return runtime.takeSnapshot(id, { ...pause, ended });
      },
    };
  }
}
