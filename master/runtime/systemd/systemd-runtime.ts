import { REMOTE_NODE, type NodeNames } from '#master/nodes/node-names.ts';
import type { NodeShell } from '#master/nodes/shell.ts';
import { DefaultFileReader } from '#master/templates/default-files/default-file-facts.ts';
import type { PersistentFile } from '#master/templates/revisions/manifest.ts';
import type { TemplateFolders } from '#master/templates/template-files.ts';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceFile, ServiceFiles } from '#shared/model/service-files.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { KeyedLock } from '../keyed-lock.ts';
import type { LogListener } from '../log/log-reader.ts';
import type { LogStore } from '../log/log-store.ts';
import type { PortRange } from '#shared/port-range.ts';
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
  type ServiceLocation,
  type SnapshotFiles,
} from '../runtime.ts';
import { ObservationReader } from './observation-reader.ts';
import { keepFiles } from '../kept/keep-files.ts';
import { NodeLogs } from './journal/node-logs.ts';
import type { JavaDownloads } from '../java/downloads.ts';
import { NodeJava } from './node-java.ts';
import { NodeLiveFiles } from './live-files.ts';
import { NodeTool } from './node-tool.ts';
import { prepareOnNode } from './prepare.ts';
import { ServiceCalls } from './service-calls.ts';
import { SnapshotCalls } from './snapshots/snapshot-calls.ts';
import { StopCalls } from './stop-calls.ts';
import { TemplateSync } from './template-sync.ts';
import type { NodeService } from './tool-answers.ts';

export interface SystemdRuntimeOptions {
  /** Name of the node, for errors and for the file that stores the read position in the node's journal. */
  readonly node: string;
  /** Name of this master's cluster, stored in the records of its services. */
  readonly cluster: string;
  readonly shell: NodeShell;
  /** Returns the address at which players and the balancer reach the node's services. */
  readonly address: () => string;
  readonly templates: Pick<TemplateFolders, 'lease'>;
  /** `<data>/files`: sources of default service files. */
  readonly sharedFiles: string;
  /** Console logs of all runtimes. */
  readonly logs: LogStore;
  /** Returns where a service belongs. Called for each report of the node. */
  readonly whereIs: (id: ServiceId) => ServiceLocation;
  readonly ports: PortRange;
  /** Returns ports of the range that no service gets; default: none. */
  readonly leaveFree?: (() => Promise<ReadonlySet<number>>) | undefined;
  /** Names of users and folders on the node; default {@link REMOTE_NODE}. */
  readonly names?: NodeNames | undefined;
  /** Java runtimes to install on the node. Absent if none is installed. */
  readonly javaDownloads?: JavaDownloads | undefined;
  readonly log?: { warn(details: object, message: string): void };
}

/** Runtime of a remote node. It does not remember which services run: each call asks the node. */
export interface SystemdRuntime extends Runtime {
  /**
   * Stops following the node. Services continue to run, and logs are kept.
   *
   * @param options.nodeGone whether the node is removed, so that the read position in its journal is deleted too
   */
  close(options?: { readonly nodeGone: boolean }): Promise<void>;
}

/**
 * Creates the runtime for services as systemd units of a remote node (docs/adr/0016). The node must have been
 * prepared with `prepareNode` before its shell is connected.
 */
export function createSystemdRuntime(options: SystemdRuntimeOptions): SystemdRuntime {
  return new RemoteRuntime(options);
}

class RemoteRuntime implements SystemdRuntime {
  readonly #options: SystemdRuntimeOptions;
  readonly #tool: NodeTool;
  readonly #sync: TemplateSync;
  readonly #defaultFiles = new DefaultFileReader();
  readonly #calls: ServiceCalls;
  readonly #java: NodeJava;
  readonly #snapshots: SnapshotCalls;
  readonly #files: NodeLiveFiles;
  readonly #logs: NodeLogs;
  readonly #observer: ObservationReader;
  readonly #stops: StopCalls<Exit | null>;
  readonly #lock = new KeyedLock();
  readonly #listeners = new Set<(id: ServiceId) => void>();
  /** Services that are prepared but not started yet. They may be started at any time, so their logs stay open. */
  readonly #onTheWay = new Set<ServiceId>();
  /** Services with unreadable records that are in the log already, so that each is logged only once. */
  readonly #unreadable = new Set<ServiceId>();
  #swept: Promise<void> | null = null;

  constructor(options: SystemdRuntimeOptions) {
    this.#options = options;
    const { node, shell, logs, cluster, address, whereIs, names = REMOTE_NODE } = options;
    this.#tool = new NodeTool(node, shell, { isCalledOften: true, names });
    this.#sync = new TemplateSync(this.#tool);
    this.#calls = new ServiceCalls(node, this.#tool);
    this.#java = new NodeJava({ node, tool: this.#tool, downloads: options.javaDownloads });
    this.#snapshots = new SnapshotCalls(node, this.#tool);
    this.#files = new NodeLiveFiles(node, this.#tool);
    this.#observer = new ObservationReader({ cluster, address });
    this.#logs = new NodeLogs({
      node,
      shell,
      tool: this.#tool,
      logs,
      group: names.user,
      whereIs,
      ended: (id) => this.#emitExit(id),
      failed: (error) => options.log?.warn({ node, err: error }, 'the journal of a node could not be read'),
    });
    this.#stops = new StopCalls((id, graceMs, isFirst) => this.#stopNow(id, graceMs, isFirst));
  }

  async prepare(spec: ServiceSpec, provision: Provision = NO_PROVISION): Promise<void> {
    await this.#sweep();
    await this.#lock.run(spec.id, async () => {
      const { cluster, templates, sharedFiles, ports, leaveFree } = this.#options;
      await prepareOnNode(spec, {
        cluster,
        provision,
        templates,
        sharedFiles,
        ports,
        leaveFree: (await leaveFree?.()) ?? new Set(),
        tool: this.#tool,
        sync: this.#sync,
        java: this.#java,
        defaultFiles: this.#defaultFiles,
      });
      this.#onTheWay.add(spec.id);
      this.#logs.grow(spec.id);
    });
  }

  start(id: ServiceId): Promise<ObservedProcess> {
    return this.#lock.run(id, async () => {
      this.#logs.grow(id);
      const started = await this.#calls.start(id).catch((error: unknown) => {
        // The node may have lost the Java that it had when the service was prepared.
        if (hasCode(error, 'JAVA_MISSING')) this.#java.forget();
        throw error;
      });
      const seen = this.#observer.toObserved(started);
      if (seen === null) {
        const why = 'systemd did not start it';
        throw new OverworldError('PREPARE_FAILED', { service: id, why });
      }
      this.#onTheWay.delete(id);
      return seen;
    });
  }

  async stop(id: ServiceId, { graceMs }: { readonly graceMs: number }): Promise<Exit | null> {
    // Waits for a start in progress, so that its process is stopped, too.
    if (!this.#stops.has(id)) await this.#lock.run(id, () => Promise.resolve());
    return this.#stops.stop(id, graceMs);
  }

  command(id: ServiceId, line: string): Promise<void> {
    // Commands are sent in the order of the calls.
    return this.#lock.run(`console of ${id}`, () => this.#calls.command(id, line));
  }

  async observe(): Promise<readonly ObservedProcess[]> {
    await this.#sweep();
    const onTheWay = new Set(this.#onTheWay);
    const { services, ...now } = await this.#calls.observe();
    const seen = services.flatMap((service) => this.#observer.toObserved({ ...now, service }) ?? []);
    const alive = seen.filter(({ state }) => state === 'alive').map(({ spec }) => spec.id);
    // Output of a service may still arrive after its record is removed.
    this.#logs.expect(seen.map(({ spec }) => spec.id));
    // The answer does not contain services that were prepared after it was sent.
    this.#logs.observe(new Set([...alive, ...onTheWay, ...this.#onTheWay]));
    for (const service of services) this.#lookAfter(service);
    return seen;
  }

  onExit(listener: (id: ServiceId) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  listFiles(id: ServiceId, folder: string, after: string | null): Promise<ServiceFiles> {
    return this.#files.listFiles(id, folder, after);
  }

  describeFile(id: ServiceId, path: string): Promise<ServiceFile> {
    return this.#files.describeFile(id, path);
  }

  readFile(
    id: ServiceId,
    path: string,
    piece: { readonly from: number; readonly length: number },
  ): Promise<FilePiece> {
    return this.#files.readFile(id, path, piece);
  }

  async forget(id: ServiceId): Promise<void> {
    await this.#lock.run(id, async () => {
      const { logs, log } = this.#options;
      const remove = (): Promise<boolean> => this.#calls.forget(id);
      if (!(await keepFiles({ id, source: this, kept: logs.kept, remove, log }))) return;
      this.#onTheWay.delete(id);
      this.#observer.forget(id);
    });
    await this.#options.logs.noteRemoved(id);
  }

  addPersistentPaths(id: ServiceId, paths: readonly string[]): Promise<void> {
    return this.#snapshots.addPaths(id, paths);
  }

  takeSnapshot(id: ServiceId, pause?: PauseRequest): Promise<boolean> {
    return this.#snapshots.take(id, pause);
  }

  readSnapshot(id: ServiceId): Promise<SnapshotFiles> {
    return this.#snapshots.read(id);
  }

  fetchSnapshot(
    id: ServiceId,
    files: readonly Pick<PersistentFile, 'hash' | 'size'>[],
    folder: string,
  ): Promise<void> {
    return this.#snapshots.fetch(id, files, folder);
  }

  endSnapshot(id: ServiceId, result: { readonly stored: boolean }): Promise<void> {
    return this.#snapshots.end(id, result);
  }

  refreshHandOver(files: readonly HandOverFile[]): Promise<HandOverRefresh> {
    return this.#calls.refreshHandOver(files);
  }

  async followLog(id: ServiceId, lines: number, listener: LogListener): Promise<FollowedLog> {
    await this.#logs.settled();
    return this.#options.logs.follow(id, lines, listener);
  }

  async tailLog(id: ServiceId, lines: number): Promise<readonly string[]> {
    await this.#logs.settled();
    return this.#options.logs.tail(id, lines);
  }

  async readLog(id: ServiceId, from: number, limit: number): Promise<LogPage> {
    await this.#logs.settled();
    return this.#options.logs.page(id, from, limit);
  }

  async searchLog(id: ServiceId, search: LogSearch): Promise<LogHits> {
    await this.#logs.settled();
    return this.#options.logs.search(id, search);
  }

  async close({ nodeGone }: { readonly nodeGone: boolean } = { nodeGone: false }): Promise<void> {
    this.#listeners.clear();
    await this.#logs.close(nodeGone);
    this.#tool.close();
  }

  async #stopNow(id: ServiceId, graceMs: number, isFirst: boolean): Promise<Exit | null> {
    const answer = await this.#calls.stop(id, { graceMs, ask: isFirst });
    await this.#logs.end(id, answer.cursor);
    return this.#observer.toObserved(answer)?.exit ?? null;
  }

  #emitExit(id: ServiceId): void {
    for (const listener of [...this.#listeners]) listener(id);
  }

  /**
   * Stops a running service without a record: it is unknown what the service is for, so it cannot be adopted. A
   * service with an unreadable record is left alone, because a newer master may have written that record.
   */
  #lookAfter({ id, recorded, record, unit }: NodeService): void {
    const { node, log } = this.#options;
    if (record !== null || !unit.alive || this.#stops.has(id) || this.#onTheWay.has(id)) return;
    if (recorded) {
      if (!this.#unreadable.has(id))
        log?.warn({ node, service: id }, 'ignored a service whose record cannot be read');
      this.#unreadable.add(id);
      return;
    }
    log?.warn({ node, service: id }, 'stopped a service that no longer has a record');
    this.stop(id, { graceMs: 0 }).catch((error: unknown) => {
      log?.warn({ node, service: id, err: error }, 'a service without a record could not be stopped');
    });
  }

  /** Removes services that an earlier master prepared but never started. Runs once per master. */
  async #sweep(): Promise<void> {
    this.#swept ??= this.#calls.sweep();
    try {
      await this.#swept;
    } catch (error) {
      this.#swept = null;
      throw error;
    }
  }
}
