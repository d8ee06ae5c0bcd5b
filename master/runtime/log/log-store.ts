import { appendFile, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceId } from '#shared/model/service.ts';
import type { FollowedLog, LogHits, LogPage, LogSearch } from '../runtime.ts';
import { cutLog, MAX_LOG_BYTES, moveLog, sizeOf } from './log-file.ts';
import { lastLinesOf, LogReader, type LogListener } from './log-reader.ts';

/** So many logs of services that are gone are kept, the newest. */
const KEPT_LOGS = 200;

/** A runtime, as its services' logs see it. */
export interface LogWriter {
  /** True while the service has, or is about to have, a process that writes, or its last lines are still on their way. */
  mayGrow(id: ServiceId): boolean;
}

/**
 * The console logs of the services of all nodes: `<folder>/<id>.log`, and `<id>.log.1` with what was cut off. They
 * outlive their services and nodes.
 */
export class LogStore {
  readonly #folder: string;
  readonly #writers = new Set<LogWriter>();
  /** Notes that were taken: each resolves when all who have taken it so far have given it back. */
  readonly #notes = new Map<string, Promise<unknown>>();
  readonly #readers = new Map<ServiceId, LogReader>();
  /** Lines cut off so far, where there are any: numbers go on while this master lives. */
  readonly #gone = new Map<ServiceId, number>();

  /** @param folder `<data>/logs` */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A log may grow as long as one of the writers says so. @returns a function that takes the writer away */
  addWriter(writer: LogWriter): () => void {
    this.#writers.add(writer);
    return () => this.#writers.delete(writer);
  }

  async open(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
  }

  pathOf(id: ServiceId): string {
    return join(this.#folder, `${id}.log`);
  }

  /**
   * Takes the note of a writer, which it keeps beside the logs; waits while another writer has it, as a runtime that is
   * being closed.
   *
   * @returns its path, and a function that gives it back
   */
  async takeNote(name: string): Promise<{ readonly path: string; readonly giveBack: () => void }> {
    const before = this.#notes.get(name);
    let giveBack = (): void => undefined;
    const held = new Promise<void>((resolve) => (giveBack = resolve));
    this.#notes.set(name, Promise.all([before, held]));
    await before;
    return { path: join(this.#folder, name), giveBack };
  }

  async tail(id: ServiceId, lines: number): Promise<readonly string[]> {
    const path = this.pathOf(id);
    return lastLinesOf(path, await sizeOf(path), lines);
  }

  async follow(id: ServiceId, lines: number, listener: LogListener): Promise<FollowedLog> {
    const reader = this.#readerOf(id);
    return { lines: await reader.join(lines, listener), close: () => reader.leave(listener) };
  }

  /** Adds text to a log that no process writes to by itself. @returns its size then, bytes */
  async append(id: ServiceId, text: Buffer): Promise<number> {
    const path = this.pathOf(id);
    await appendFile(path, text, { mode: 0o600 });
    this.#readers.get(id)?.poke();
    return sizeOf(path);
  }

  /** Puts a log aside that no process holds open. */
  async putAside(id: ServiceId): Promise<void> {
    await this.#readerOf(id).cut(async (path, readToEnd) => {
      await readToEnd();
      await moveLog(path);
      return 0;
    });
  }

  /** When a log was last written to, ms since 1970; null when there is none. */
  async changedAt(id: ServiceId): Promise<number | null> {
    const stats = await stat(this.pathOf(id)).catch(() => null);
    return stats === null ? null : stats.mtimeMs;
  }

  /** Bytes of a log, without what was cut off. */
  size(id: ServiceId): Promise<number> {
    return sizeOf(this.pathOf(id));
  }

  /** Cuts a log that a process writes to and that has grown too long. Bound of both parts: twice the limit, and what is written between two calls. */
  async keepShort(id: ServiceId): Promise<void> {
    if ((await sizeOf(this.pathOf(id))) > MAX_LOG_BYTES) await this.#readerOf(id).cut(cutLog);
  }

  page(id: ServiceId, from: number, limit: number): Promise<LogPage> {
    return this.#readerOf(id).page(from, limit);
  }

  search(id: ServiceId, search: LogSearch): Promise<LogHits> {
    return this.#readerOf(id).search(search);
  }

  /** Deletes the oldest logs of services that are gone. @param existing services that are not, beside those that write */
  async prune(existing: ReadonlySet<ServiceId>): Promise<void> {
    const ids = (await readdir(this.#folder))
      .filter((name) => name.endsWith('.log'))
      .map((name) => name.slice(0, -'.log'.length))
      .filter((id) => !existing.has(id) && !this.#readers.has(id) && !this.#mayGrow(id));
    if (ids.length <= KEPT_LOGS) return;
    const aged = await Promise.all(
      ids.map(async (id) => ({ id, at: (await stat(this.pathOf(id)).catch(() => null))?.mtimeMs ?? 0 })),
    );
    aged.sort((a, b) => b.at - a.at);
    for (const { id } of aged.slice(KEPT_LOGS)) {
      await rm(this.pathOf(id), { force: true });
      await rm(`${this.pathOf(id)}.1`, { force: true });
      this.#gone.delete(id);
    }
  }

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
