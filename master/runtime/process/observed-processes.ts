import { mkdir } from 'node:fs/promises';
import { forEachLimited } from '#shared/node/for-each-limited.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { Exit, ObservedProcess } from '../runtime.ts';
import type { RuntimeRecord } from '../service-record.ts';
import type { ProcessTable, ServiceProcess } from './process-table.ts';
import { listServiceIds, ServiceFolder } from './service-folder.ts';

/**
 * Number of folders read in parallel. Each read keeps files open, and the number of open files per process is
 * limited.
 */
const FOLDERS_AT_A_TIME = 16;

/**
 * State of one service according to its folder and processes. State `prepared`: the service was created, but never
 * started, and `startedAt` is 0.
 */
export interface ProcessObservation {
  readonly id: ServiceId;
  readonly state: 'prepared' | 'alive' | 'ended';
  readonly record: RuntimeRecord;
  readonly startedAt: number;
  readonly pid: number | null;
  readonly processes: readonly ServiceProcess[];
  readonly exit: Exit | null;
}

/** Processes of a service without a readable record. Their purpose is unknown, so the service cannot be adopted. */
export interface Orphan {
  readonly id: ServiceId;
  readonly processes: readonly ServiceProcess[];
}

interface FolderReading {
  readonly id: ServiceId;
  readonly folder: ServiceFolder;
  readonly record: RuntimeRecord;
  readonly start: Awaited<ReturnType<ServiceFolder['readStart']>>;
}

/** Reads the state of services from folders and the process table. Each call reads them again. */
export class ProcessObserver {
  readonly #root: string;
  readonly #table: ProcessTable;
  readonly #folders = new Map<ServiceId, ServiceFolder>();

  constructor(root: string, table: ProcessTable) {
    this.#root = root;
    this.#table = table;
  }

  /** Returns the folder of a service, whether or not it exists. */
  folder(id: ServiceId): ServiceFolder {
    const known = this.#folders.get(id);
    if (known !== undefined) return known;
    const folder = new ServiceFolder(this.#root, id);
    this.#folders.set(id, folder);
    return folder;
  }

  /** Returns the running processes of a service. */
  async processesOf(id: ServiceId): Promise<readonly ServiceProcess[]> {
    return (await this.#table.list()).get(id) ?? [];
  }

  /** Returns the state of one service; null if it has no record. */
  async observe(id: ServiceId): Promise<ProcessObservation | null> {
    const before = await this.#readFolder(id);
    return before === null ? null : this.#judge(before, await this.processesOf(id));
  }

  /** Returns the state of all services on this machine, and the orphans. */
  async observeAll(): Promise<{
    readonly services: readonly ProcessObservation[];
    readonly orphans: readonly Orphan[];
  }> {
    // Folders are read before processes, so that a service that starts in between counts as alive and not as ended.
    const ids = await listServiceIds(this.#root);
    const found: FolderReading[] = [];
    await forEachLimited(ids, FOLDERS_AT_A_TIME, async (id) => {
      const one = await this.#readFolder(id);
      if (one !== null) found.push(one);
    });
    const table = await this.#table.list();
    const services: ProcessObservation[] = [];
    await forEachLimited(found, FOLDERS_AT_A_TIME, async (one) => {
      services.push(await this.#judge(one, table.get(one.id) ?? []));
    });
    const known = new Set(found.map(({ id }) => id));
    const orphans: Orphan[] = [];
    for (const [id, processes] of table) {
      // The record is read again, because the service may have been prepared and started since the folders were
      // listed.
      if (!known.has(id) && (await this.folder(id).readRecord()) === null) orphans.push({ id, processes });
    }
    const listed = new Set(ids);
    for (const id of this.#folders.keys()) if (!listed.has(id) && !table.has(id)) this.#folders.delete(id);
    return { services, orphans };
  }

  /** Removes the folders of services that were prepared but never started, or whose removal was interrupted. */
  async sweep(): Promise<void> {
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    const table = await this.#table.list();
    for (const id of await listServiceIds(this.#root)) {
      const folder = this.folder(id);
      const started = (await folder.readStart()) !== null && (await folder.readRecord()) !== null;
      if (!started && !table.has(id)) await folder.remove();
    }
  }

  async #readFolder(id: ServiceId): Promise<FolderReading | null> {
    const folder = this.folder(id);
    const record = await folder.readRecord();
    return record === null ? null : { id, folder, record, start: await folder.readStart() };
  }

  async #judge(
    { id, folder, record, start }: FolderReading,
    processes: readonly ServiceProcess[],
  ): Promise<ProcessObservation> {
    const startedAt = start?.at ?? 0;
    if (processes.length > 0) {
      const pid = mainProcess(processes, start?.pid ?? null);
      return { id, state: 'alive', record, startedAt, pid, processes, exit: await folder.readExit() };
    }
    const exit = await folder.readExit();
    return {
      id,
      state: start === null ? 'prepared' : 'ended',
      record,
      startedAt,
      pid: null,
      processes,
      exit,
    };
  }
}

/**
 * Returns the process id of the server: the wrapper's child if there is one, otherwise the wrapper, otherwise any
 * remaining process; null if there is none.
 *
 * @param wrapper process id of the wrapper; null if unknown
 */
function mainProcess(processes: readonly ServiceProcess[], wrapper: number | null): number | null {
  const server = processes.find(({ parent }) => parent === wrapper);
  const leader = processes.find(({ pid }) => pid === wrapper);
  return (server ?? leader ?? processes[0])?.pid ?? null;
}

/** Converts the observed files and processes to the type that a runtime returns. */
export function toObserved(
  { state, record, startedAt, pid, exit }: ProcessObservation,
  host: string,
): ObservedProcess {
  const { spec, port } = record;
  if (state === 'alive') return { spec, port, host, startedAt, state, pid, exit: null };
  return {
    spec,
    port,
    host,
    startedAt,
    state: 'ended',
    pid: null,
    exit: exit ?? { code: null, signal: null },
  };
}
