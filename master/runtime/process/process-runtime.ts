import { mkdirSync, realpathSync } from 'node:fs';
import { noReserves, type DiskReserves } from '#master/store/disk-reserve.ts';
import type { TemplateFolders } from '#master/templates/template-files.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { LOCAL_NODE } from '#shared/model/node.ts';
import type { ServiceFile, ServiceFiles } from '#shared/model/service-files.ts';
import type { ServiceId } from '#shared/model/service.ts';
import {
  NO_PROVISION,
  type Exit,
  type FilePiece,
  type FollowedLog,
  type HandOverFile,
  type HandOverRefresh,
  type LogHits,
  type LogPage,
  type LogSearch,
  type ObservedProcess,
  type PauseRequest,
  type Provision,
  type Runtime,
  type ServiceSpec,
  type SnapshotFiles,
} from '../runtime.ts';
import { KeyedLock } from '../keyed-lock.ts';
import type { PortRange } from '#shared/port-range.ts';
import type { LogListener } from '../log/log-reader.ts';
import type { LogStore } from '../log/log-store.ts';
import { stopCommandsOf } from '../stop-commands.ts';
import { writeConsole } from './console.ts';
import { ProcessObserver, toObserved, type ProcessObservation } from './observed-processes.ts';
import { keepFiles } from '../kept/keep-files.ts';
import { refreshHandOver } from './hand-over.ts';
import { LocalJava } from '../java/local-java.ts';
import { provideJava } from '../java/provide-java.ts';
import type { JavaDownloads } from '../java/downloads.ts';
import { findMachinesJava, findOwnJava, javaPlaces, readJavaVersion } from './java.ts';
import { describeFile, listFiles, readFile } from './live-files.ts';
import type { Mark } from './mark.ts';
import { prepareFolder } from './prepare.ts';
import { NO_PROCESSES, processTable, type ProcessTable } from './process-table.ts';
import { PromisedPorts } from './promised-ports.ts';
import { KILLED_STATUS, signalAll } from './signals.ts';
import { startPrepared } from './start.ts';
import { StopJobs, type StopTasks } from './stop-jobs.ts';
import { isKept, Snapshots } from './volumes/snapshots.ts';
import { ProcessWatch } from './watch.ts';

export interface ProcessRuntimeOptions {
  /** Name of this master's cluster. It is part of the mark of the master's processes. */
  readonly cluster: string;
  /** Folder of the services, `<data>/services`. */
  readonly folder: string;
  /** Console logs of all runtimes, `<data>/logs`. */
  readonly logs: LogStore;
  /** Reserves of the master's disks. The copies of files for a save leave them free. By default, nothing is reserved. */
  readonly disks?: Pick<DiskReserves, 'of'>;
  /** `<data>/files`: sources of default service files. */
  readonly sharedFiles: string;
  readonly templates: Pick<TemplateFolders, 'materialize'>;
  readonly ports: PortRange;
  /** Returns which of the `ports` must stay free for other uses. */
  readonly leaveFree?: () => Promise<ReadonlySet<number>>;
  /** Address of the services. `0.0.0.0` (all addresses of this machine) is reported as 127.0.0.1. */
  readonly host: string;
  /** Java program to use instead of the machine's. */
  readonly java?: string;
  /** Folders in which the system has versions of Java; default: the folders of the operating system. */
  readonly javaFolders?: readonly string[];
  /** Folders for the versions of Java that the master installs. Absent if it installs none. */
  readonly javaVersions?: { readonly folder: string; readonly downloads: JavaDownloads };
  readonly log?: { warn(details: object, message: string): void };
  /** Time between TERM and KILL when a service is stopped (ms); default 5 s. */
  readonly termToKillMs?: number;
}

/** Runtime of this machine. Each call reads from folders and processes which services run. */
export interface ProcessRuntime extends Runtime {
  /** Reports whether the machine has Java, or the master can install it. A found Java is cached for 10 s. */
  hasJava(): Promise<boolean>;
  /** Returns the version of the machine's Java; null if there is none. */
  javaVersion(): Promise<string | null>;
  /** Stops watching. Services continue to run. */
  close(): Promise<void>;
}

/** Creates the runtime for services as child processes of this machine (docs/adr/0008). */
export function createProcessRuntime(options: ProcessRuntimeOptions): ProcessRuntime {
  return new LocalRuntime(options);
}

class LocalRuntime implements ProcessRuntime {
  readonly #options: ProcessRuntimeOptions;
  readonly #mark: Mark;
  readonly #table: ProcessTable | null;
  readonly #observer: ProcessObserver;
  readonly #logs: LogStore;
  readonly #leaveLogs: () => void;
  readonly #watch: ProcessWatch;
  readonly #lock = new KeyedLock();
  readonly #stops: StopJobs;
  readonly #ports: PromisedPorts;
  readonly #onTheWay = new Set<ServiceId>();
  readonly #java: LocalJava;
  readonly #snapshots: Snapshots;
  readonly #opened: Promise<void>;

  constructor(options: ProcessRuntimeOptions) {
    this.#options = options;
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    this.#java = new LocalJava({
      ...options.javaVersions,
      configured: options.java,
      systemFolders: options.javaFolders,
    });
    this.#mark = { cluster: options.cluster, folder: realpathSync(options.folder) };
    this.#table = processTable(this.#mark);
    const table = this.#table ?? NO_PROCESSES;
    this.#observer = new ProcessObserver(this.#mark.folder, table);
    this.#ports = new PromisedPorts(options.ports, () => this.#takenPorts());
    this.#logs = options.logs;
    const { disks = noReserves() } = options;
    this.#snapshots = new Snapshots({ observer: this.#observer, lock: this.#lock, logs: this.#logs, disks });
    this.#leaveLogs = this.#logs.addWriter({
      mayGrow: (id) => this.#watch.has(id) || this.#onTheWay.has(id),
    });
    this.#watch = new ProcessWatch(table, {
      observe: (id) => this.#observeAndClean(id),
      tend: (id) => this.#logs.keepShort(id),
      failed: (id, error) =>
        options.log?.warn({ service: id, err: error }, 'a service could not be supervised'),
    });
    const tasks: StopTasks = {
      find: (id) => this.#observer.processesOf(id),
      ask: (id) => this.#askToEnd(id),
      killed: (id) => this.#observer.folder(id).noteExit(KILLED_STATUS),
    };
    this.#stops = new StopJobs(table, tasks, options.termToKillMs);
    this.#opened = this.#open();
    // The error is reported by the first call that awaits this promise.
    this.#opened.catch(() => undefined);
  }

  async prepare(spec: ServiceSpec, provision: Provision = NO_PROVISION): Promise<void> {
    await this.#opened;
    await this.#lock.run(spec.id, async () => {
      if (this.#table === null)
        throw failed(spec.id, 'this operating system cannot run services; use Linux or macOS');
      if ((await this.#observer.processesOf(spec.id)).length > 0)
        throw failed(spec.id, 'a process of it still runs');
      if (isKept(await this.#observer.observe(spec.id)))
        throw failed(spec.id, 'its folder has data that is not saved');
      this.#onTheWay.add(spec.id);
      const { templates, sharedFiles } = this.#options;
      try {
        const parts = { templates, sharedFiles, provision, port: () => this.#ports.promise(spec.id) };
        const folder = this.#observer.folder(spec.id);
        await prepareFolder(spec, folder, parts);
        // A missing version is installed now, so that the service's start does not have to wait for it.
        await this.#javaFor(spec, folder.files).catch(async (error: unknown) => {
          await folder.remove();
          throw error;
        });
      } catch (error) {
        this.#onTheWay.delete(spec.id);
        throw error;
      } finally {
        this.#ports.forget(spec.id);
      }
    });
  }

  async start(id: ServiceId): Promise<ObservedProcess> {
    await this.#opened;
    return this.#lock.run(id, async () => {
      try {
        const before = await this.#observer.observe(id);
        if (before === null) throw failed(id, 'it was not prepared');
        if (before.state === 'ended') throw failed(id, 'it has exited; it must be prepared again');
        const now = before.state === 'alive' ? before : await this.#launch(before);
        this.#watch.add(id, now.processes);
        return toObserved(now, this.#host);
      } finally {
        this.#onTheWay.delete(id);
      }
    });
  }

  async stop(id: ServiceId, { graceMs }: { readonly graceMs: number }): Promise<Exit | null> {
    await this.#opened;
    // Waits for a start in progress, so that its process is stopped, too.
    if (!this.#stops.has(id)) await this.#lock.run(id, () => Promise.resolve());
    await this.#stops.stop(id, graceMs);
    await this.#watch.check(id);
    const after = await this.#observer.observe(id);
    return after === null || after.state === 'prepared' ? null : (after.exit ?? { code: null, signal: null });
  }

  async command(id: ServiceId, line: string): Promise<void> {
    await this.#opened;
    if ((await this.#observer.processesOf(id)).length === 0) {
      throw new OverworldError('SERVICE_NOT_FOUND', { service: id });
    }
    await writeConsole(id, this.#observer.folder(id).console, line);
  }

  async observe(): Promise<readonly ObservedProcess[]> {
    await this.#opened;
    const { services, orphans } = await this.#observer.observeAll();
    for (const { id, processes } of orphans) {
      if (this.#stops.has(id)) continue;
      const pids = processes.map(({ pid }) => pid);
      this.#options.log?.warn(
        { service: id, pids },
        'stopped processes of a service that no longer has a record',
      );
      signalAll(processes, 'SIGKILL');
    }
    for (const one of services) {
      endLeftovers(one);
      if (one.state === 'alive') this.#watch.add(one.id, one.processes);
    }
    return services.filter(({ state }) => state !== 'prepared').map((one) => toObserved(one, this.#host));
  }

  onExit(listener: (id: ServiceId) => void): () => void {
    return this.#watch.onExit(listener);
  }

  async listFiles(id: ServiceId, folder: string, after: string | null): Promise<ServiceFiles> {
    await this.#opened;
    return listFiles({ id, top: this.#observer.folder(id).files, path: folder }, after);
  }

  async describeFile(id: ServiceId, path: string): Promise<ServiceFile> {
    await this.#opened;
    return describeFile({ id, top: this.#observer.folder(id).files, path });
  }

  async readFile(
    id: ServiceId,
    path: string,
    piece: { readonly from: number; readonly length: number },
  ): Promise<FilePiece> {
    await this.#opened;
    return readFile({ id, top: this.#observer.folder(id).files, path }, piece);
  }

  async forget(id: ServiceId): Promise<void> {
    await this.#opened;
    await this.#lock.run(id, async () => {
      if ((await this.#observer.processesOf(id)).length > 0) return;
      const folder = this.#observer.folder(id);
      const remove = (): Promise<boolean> => folder.remove().then(() => true);
      await keepFiles({ id, source: this, kept: this.#logs.kept, remove, log: this.#options.log });
      this.#onTheWay.delete(id);
      await this.#logs.noteRemoved(id);
    });
  }

  async addPersistentPaths(id: ServiceId, paths: readonly string[]): Promise<void> {
    await this.#opened;
    return this.#snapshots.addPaths(id, paths);
  }

  async takeSnapshot(id: ServiceId, pause?: PauseRequest): Promise<boolean> {
    await this.#opened;
    await this.#watchWriter(id);
    return this.#snapshots.take(id, pause);
  }

  readSnapshot(id: ServiceId): Promise<SnapshotFiles> {
    return this.#snapshots.read(id);
  }

  fetchSnapshot(...contents: Parameters<Snapshots['fetch']>): Promise<void> {
    return this.#snapshots.fetch(...contents);
  }

  endSnapshot(...ended: Parameters<Snapshots['end']>): Promise<void> {
    return this.#snapshots.end(...ended);
  }

  async refreshHandOver(files: readonly HandOverFile[]): Promise<HandOverRefresh> {
    await this.#opened;
    return refreshHandOver(files, (id, work) => this.#lock.run(id, () => work(this.#observer.folder(id))));
  }

  async followLog(id: ServiceId, lines: number, listener: LogListener): Promise<FollowedLog> {
    await this.#opened;
    await this.#watchWriter(id);
    return this.#logs.follow(id, lines, listener);
  }

  async tailLog(id: ServiceId, lines: number): Promise<readonly string[]> {
    await this.#opened;
    return this.#logs.tail(id, lines);
  }

  async readLog(id: ServiceId, from: number, limit: number): Promise<LogPage> {
    await this.#opened;
    await this.#watchWriter(id);
    return this.#logs.page(id, from, limit);
  }

  async searchLog(id: ServiceId, search: LogSearch): Promise<LogHits> {
    await this.#opened;
    await this.#watchWriter(id);
    return this.#logs.search(id, search);
  }

  /**
   * Watches a service, because its log grows as long as one of its processes runs. After a restart, the master does
   * not watch the service yet.
   */
  async #watchWriter(id: ServiceId): Promise<void> {
    const processes = await this.#observer.processesOf(id);
    if (processes.length > 0) this.#watch.add(id, processes);
  }

  async hasJava(): Promise<boolean> {
    return this.#java.isAvailable();
  }

  async javaVersion(): Promise<string | null> {
    const java = await findMachinesJava(this.#options.java);
    return java === null ? null : readJavaVersion(java);
  }

  async close(): Promise<void> {
    this.#watch.close();
    this.#leaveLogs();
    await this.#opened.catch(() => undefined);
  }

  get #host(): string {
    return this.#options.host === '0.0.0.0' ? '127.0.0.1' : this.#options.host;
  }

  async #open(): Promise<void> {
    await this.#logs.open();
    await this.#observer.sweep();
  }

  async #launch({ id, record }: ProcessObservation): Promise<ProcessObservation> {
    const folder = this.#observer.folder(id);
    const java = await this.#javaFor(record.spec, folder.files);
    const parts = { mark: this.#mark, log: this.#logs.pathOf(id), java };
    const launched = await startPrepared(record.spec, folder, parts);
    void launched.exited.then(() => this.#watch.check(id));
    const now = await this.#observer.observe(id);
    if (now === null) throw failed(id, 'its folder was removed while it was started');
    return now;
  }

  /** Returns the path of the `java` program for a service. */
  async #javaFor(spec: ServiceSpec, files: string): Promise<string> {
    const own = await findOwnJava(files);
    if (own !== null) return own;
    const java = this.#java;
    const looked = javaPlaces(this.#options.java);
    const source = { node: LOCAL_NODE, list: () => java.list(), install: java.installer, looked };
    return (await provideJava(spec, source)).path;
  }

  async #observeAndClean(id: ServiceId): Promise<ProcessObservation | null> {
    const observation = await this.#observer.observe(id);
    if (observation !== null) endLeftovers(observation);
    return observation;
  }

  async #askToEnd(id: ServiceId): Promise<void> {
    const folder = this.#observer.folder(id);
    const record = await folder.readRecord();
    if (record === null) return;
    for (const command of stopCommandsOf(record.spec)) {
      // A server that does not read its console is stopped by signals instead.
      await writeConsole(id, folder.console, command).catch(() => undefined);
    }
  }

  /** Returns the ports of services that are prepared or running, and the ports that must stay free for other uses. */
  async #takenPorts(): Promise<number[]> {
    const { services } = await this.#observer.observeAll();
    const own = services.filter(({ state }) => state !== 'ended').map(({ record }) => record.port);
    return [...own, ...((await this.#options.leaveFree?.()) ?? [])];
  }
}

/**
 * Kills the processes that a server has left running after it exited. A remaining helper process would keep its
 * port and files in use.
 */
function endLeftovers({ state, exit, processes }: ProcessObservation): void {
  if (state === 'alive' && exit !== null) signalAll(processes, 'SIGKILL');
}

function failed(service: ServiceId, why: string): OverworldError {
  return new OverworldError('PREPARE_FAILED', { service, why });
}
