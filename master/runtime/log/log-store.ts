import { appendFile, mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { diskCode } from '#master/templates/disk-problem.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { KeptFiles } from '../kept/kept-files.ts';
import type { FollowedLog, LogHits, LogPage, LogSearch } from '../runtime.ts';
import { cutLog, MAX_LOG_BYTES, moveLog, sizeOf } from './log-file.ts';
import { lastLinesOf, LogReader, type LogListener } from './log-reader.ts';

/** Maximum number of stored logs of removed services. The oldest are deleted. */
const KEPT_LOGS = 200;

/** What the log store needs to know of a runtime that writes logs. */
export interface LogWriter {
  /**
   * Returns whether the log of the service may still grow: the service has a process, is about to get one, or its
   * last lines are still arriving.
   */
  mayGrow(id: ServiceId): boolean;
}

/**
 * Console logs of the services on all nodes: `<folder>/<id>.log`, and `<id>.log.1` with the part that was cut off.
 * Logs are kept after their services and nodes are removed.
 */
export class LogStore {
  /** Crash reports and logs that ended services have written themselves. */
  readonly kept: KeptFiles;
  readonly #folder: string;
  readonly #exists: (id: ServiceId) => boolean;
  readonly #writers = new Set<LogWriter>();
  /** Notes in use (see `takeNote`), by name. Each promise resolves when all users so far have released the note. */
  readonly #notes = new Map<string, Promise<unknown>>();
  readonly #readers = new Map<ServiceId, LogReader>();
  /**
   * Number of lines cut off permanently so far, by service. Line numbers therefore continue while this master runs.
   */
  readonly #gone = new Map<ServiceId, number>();

  /**
   * @param folder `<data>/logs`
   * @param exists returns whether a service exists, also if it is only requested, or if its node cannot be reached. The
   *   logs of such services are never deleted
   */
  constructor(folder: string, exists: (id: ServiceId) => boolean = () => false) {
    this.#folder = folder;
    this.#exists = exists;
    this.kept = new KeptFiles(folder);
  }

  /**
   * Registers a writer. A log may still grow as long as any of the writers reports so.
   *
   * @returns a function that unregisters the writer
   */
  addWriter(writer: LogWriter): () => void {
    this.#writers.add(writer);
    return () => this.#writers.delete(writer);
  }

  /** Creates the folder if it does not exist. @throws errno errors */
  async open(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** Returns the path of a service's log. */
  pathOf(id: ServiceId): string {
    return join(this.#folder, `${id}.log`);
  }

  /**
   * Acquires a note: a file next to the logs in which a writer stores its state. Waits while another writer uses the
   * note, for example a runtime that is being closed.
   *
   * @returns the path of the note, and a function that releases it
   */
  async takeNote(name: string): Promise<{ readonly path: string; readonly giveBack: () => void }> {
    const before = this.#notes.get(name);
    let giveBack = (): void => undefined;
    const held = new Promise<void>((resolve) => (giveBack = resolve));
    this.#notes.set(name, Promise.all([before, held]));
    await before;
    return { path: join(this.#folder, name), giveBack };
  }

  /** Returns the last lines of a log, oldest first; an empty list if it does not exist. */
  async tail(id: ServiceId, lines: number): Promise<readonly string[]> {
    const path = this.pathOf(id);
    return lastLinesOf(path, await sizeOf(path), lines);
  }

  /**
   * Returns the last lines of a log, and sends later lines to the listener until closed; see {@link LogReader.join}.
   */
  async follow(id: ServiceId, lines: number, listener: LogListener): Promise<FollowedLog> {
    const reader = this.#readerOf(id);
    return { lines: await reader.join(lines, listener), close: () => reader.leave(listener) };
  }

  /** Sends new lines of a log to its followers now, not only at the next regular read. */
  poke(id: ServiceId): void {
    this.#readers.get(id)?.poke();
  }

  /** Appends text to a log to which no process writes directly. @returns its new size (bytes) */
  async append(id: ServiceId, text: Buffer): Promise<number> {
    const path = this.pathOf(id);
    await appendFile(path, text, { mode: 0o600 });
    this.#readers.get(id)?.poke();
    return sizeOf(path);
  }

  /** Renames a log to `.1`. No process may have the log open. */
  async putAside(id: ServiceId): Promise<void> {
    await this.#readerOf(id).cut(async (path, readToEnd) => {
      await readToEnd();
      await moveLog(path);
      return 0;
    });
  }

  /**
   * Returns the time of the last write to a log, or of the last removal of its service (ms since epoch); null if the log
   * does not exist.
   */
  async changedAt(id: ServiceId): Promise<number | null> {
    const stats = await stat(this.pathOf(id)).catch(() => null);
    return stats === null ? null : stats.mtimeMs;
  }

  /** Returns the size of a log without the part that was cut off (bytes). */
  size(id: ServiceId): Promise<number> {
    return sizeOf(this.pathOf(id));
  }

  /**
   * Cuts a log if it has become longer than {@link MAX_LOG_BYTES} (20 MiB) while a process writes to it. Both parts
   * together stay below twice that limit, plus the lines written between two calls.
   *
   * @throws errno errors
   */
  async keepShort(id: ServiceId): Promise<void> {
    if ((await sizeOf(this.pathOf(id))) > MAX_LOG_BYTES) await this.#readerOf(id).cut(cutLog);
  }

  /** Returns at most `limit` stored lines and 1 MiB, starting at line number `from`. */
  page(id: ServiceId, from: number, limit: number): Promise<LogPage> {
    return this.#readerOf(id).page(from, limit);
  }

  /** Returns stored lines that contain a text, ignoring colour codes; the newest if there are too many. */
  search(id: ServiceId, search: LogSearch): Promise<LogHits> {
    return this.#readerOf(id).search(search);
  }

  /**
   * Notes that a service was removed from its node. Deletes the logs of removed services, except for the 200 that were
   * removed last. Together with a service's log, deletes the service's kept crash reports and logs. Throws errno errors.
   */
  async noteRemoved(id: ServiceId): Promise<void> {
    const now = new Date();
    await utimes(this.pathOf(id), now, now).catch((error: unknown) => {
      if (diskCode(error) !== 'ENOENT') throw error;
    });
    await this.#prune();
  }

  async #prune(): Promise<void> {
    const ids = (await readdir(this.#folder))
      .filter((name) => name.endsWith('.log'))
      .map((name) => name.slice(0, -'.log'.length))
      .filter((id) => !this.#exists(id) && !this.#readers.has(id) && !this.#mayGrow(id));
    if (ids.length <= KEPT_LOGS) return;
    const aged = await Promise.all(
      ids.map(async (id) => ({ id, at: (await stat(this.pathOf(id)).catch(() => null))?.mtimeMs ?? 0 })),
    );
    aged.sort((a, b) => b.at - a.at);
    for (const { id } of aged.slice(KEPT_LOGS)) {
      await rm(this.pathOf(id), { force: true });
      await rm(`${this.pathOf(id)}.1`, { force: true });
      await this.kept.remove(id);
      this.#gone.delete(id);
    }
  }

  /** Stops all followers. */
  close(): void {
    for (const reader of [...this.#readers.values()]) reader.close();
  }

  #mayGrow(id: ServiceId): boolean {
    return [...this.#writers].some((writer) => writer.mayGrow(id));
  }

  #readerOf(id: ServiceId): LogReader {
    const known = this.#readers.get(id);
    if (known !== undefined) return known;
    const reader: LogReader = new LogReader({
      path: this.pathOf(id),
      gone: this.#gone.get(id) ?? 0,
      mayGrow: () => this.#mayGrow(id),
      finished: () => {
        if (this.#readers.get(id) !== reader) return;
        this.#readers.delete(id);
        if (reader.gone > 0) this.#gone.set(id, reader.gone);
      },
    });
    this.#readers.set(id, reader);
    return reader;
  }
}
