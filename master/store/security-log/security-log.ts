import { mkdir, open, readFile, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { EntryContent, SecurityEntry, SecurityReport } from '#shared/model/access/security-entry.ts';
import { diskError } from '../disk-error.ts';
import { serialQueue } from '../serial.ts';
import { syncFolder } from '../write-durably.ts';
import { EMPTY, lineOf, parseLine, sealEntry, type Head } from './chain.ts';
import { fileNameOf, listSecurityFiles } from './files.ts';
import { readEntries, type EntryPage, type EntryQuery } from './read-entries.ts';
import { verifyLog } from './verify-log.ts';

/** Time for which entries are kept (ms). */
export const KEPT_MS = 365 * 24 * 3_600_000;
/**
 * Maximum time between the newest entry and the first entry of a new file at which old files are removed (ms). After
 * a longer time, the clock may be wrong. Then old files stay until the next new file.
 */
const MAX_GAP_MS = 31 * 24 * 3_600_000;
/** Size at which a new file is begun (bytes). A new file also begins in each month (UTC). */
const MAX_FILE_BYTES = 16 * 1_048_576;
/**
 * Maximum number of entries that wait in memory because they could not be written. Further entries are lost, but
 * counted.
 */
const MAX_UNWRITTEN = 20_000;

interface Current {
  readonly name: string;
  readonly file: FileHandle;
  /** Number of bytes of the file that are complete entries. Bytes after them come from a failed write. */
  bytes: number;
  /** Time of the newest entry (ms since epoch). */
  newestAt: number;
}

/**
 * The security log: files with one entry per line, linked by hashes (chain.ts). Entries are only appended, and
 * removed when they are older than {@link KEPT_MS} and a new file begins.
 */
export class SecurityLog {
  readonly #folder: string;
  readonly #now: () => number;
  readonly #inTurn = serialQueue();
  #head: Head;
  #current: Current | null;
  #unwritten: SecurityEntry[] = [];
  #lost = 0;
  #failure: unknown = null;
  #writing: Promise<void> = Promise.resolve();
  #removing: Promise<void> = Promise.resolve();
  #closed = false;
  #verifying: Promise<SecurityReport> | null = null;

  private constructor(place: { folder: string; now: () => number }, head: Head, current: Current | null) {
    this.#folder = place.folder;
    this.#now = place.now;
    this.#head = head;
    this.#current = current;
  }

  /**
   * Opens the log in `folder`. If a crash has left an incomplete last line, removes it and adds an entry about that.
   * Does not remove old files, because the clock of a machine that has just started may be wrong.
   *
   * @param now clock (ms since epoch)
   * @throws OverworldError DISK_FULL, DATA_FOLDER_UNSAFE
   */
  static async open(folder: string, now: () => number): Promise<SecurityLog> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await syncFolder(dirname(folder));
      const names = await listSecurityFiles(folder);
      const { head, current, tornBytes } = await openLast(folder, names);
      const log = new SecurityLog({ folder, now }, head, current);
      if (tornBytes > 0) {
        const cause = `the master or its machine was interrupted while it wrote ${tornBytes} bytes`;
        log.add({ kind: 'log.repaired', ...OWN, message: 'An incomplete last entry was removed', cause });
      }
      // If the disk is full, the entries are written later. The master still starts, because it may have to free
      // space.
      await log.flushed().catch(() => undefined);
      return log;
    } catch (error) {
      throw diskError(folder, error);
    }
  }

  /** Number and hash of the last entry. */
  get head(): Head {
    return this.#head;
  }

  /**
   * Appends an entry, which is on disk when {@link SecurityLog.flushed} resolves. While 20,000 entries wait because
   * they cannot be written, further entries are lost; a later entry states how many. Does nothing after the log was
   * closed.
   */
  add(content: EntryContent): void {
    if (this.#closed) return;
    if (this.#unwritten.length >= MAX_UNWRITTEN) {
      this.#lost += 1;
      return;
    }
    const entry = sealEntry(this.#head, this.#now(), content);
    this.#head = { seq: entry.seq, hash: entry.hash };
    this.#unwritten.push(entry);
    if (this.#unwritten.length === 1 || this.#failure !== null) this.#writing = this.#write();
  }

  /**
   * Resolves when all entries so far are on disk. Tries again if an earlier attempt has failed.
   *
   * @throws OverworldError DISK_FULL, DATA_FOLDER_UNSAFE
   */
  async flushed(): Promise<void> {
    await this.#writing;
    if (this.#failure !== null) await (this.#writing = this.#write());
    if (this.#failure !== null) throw diskError(this.#folder, this.#failure);
  }

  /**
   * Reads entries on disk, and waits for those that are being written. Does not verify the chain.
   *
   * @throws OverworldError DISK_FULL, DATA_FOLDER_UNSAFE
   */
  async read(query: EntryQuery): Promise<EntryPage> {
    await this.#writing;
    try {
      return await readEntries(this.#folder, query);
    } catch (error) {
      throw diskError(this.#folder, error);
    }
  }

  /**
   * Verifies the log on disk up to the last entry that was added before the call. Calls during a verification share
   * its result.
   *
   * @throws OverworldError DISK_FULL, DATA_FOLDER_UNSAFE
   */
  verify(): Promise<SecurityReport> {
    this.#verifying ??= this.#verify().finally(() => (this.#verifying = null));
    return this.#verifying;
  }

  async #verify(): Promise<SecurityReport> {
    const head = this.#head;
    await this.flushed();
    try {
      return await verifyLog(this.#folder, head);
    } catch (error) {
      throw diskError(this.#folder, error);
    }
  }

  /** Writes the entries that are not on disk yet, and closes the file. Does not throw if that write fails. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#removing;
    this.#closed = true;
    await this.flushed().catch(() => undefined);
    await this.#removing;
    await this.#current?.file.close();
    this.#current = null;
  }

  #write(): Promise<void> {
    return this.#inTurn(async () => {
      try {
        while (this.#unwritten.length > 0) await this.#writeNext([...this.#unwritten]);
        this.#failure = null;
      } catch (error) {
        this.#failure = error;
        return;
      }
      this.#addLostEntry();
    });
  }

  /**
   * Writes the first of the given entries, and the entries after it that belong to the same file. Removes the written
   * entries from the list of unwritten entries.
   */
  async #writeNext(entries: readonly SecurityEntry[]): Promise<void> {
    const [first] = entries;
    if (first === undefined) return;
    const current = await this.#fileFor(first);
    const next = entries.findIndex(({ at }) => monthOf(at) !== monthOf(first.at));
    const batch = next === -1 ? entries : entries.slice(0, next);
    const text = batch.map((entry) => `${lineOf(entry)}\n`).join('');
    // Removes bytes that a failed attempt may have written.
    await current.file.truncate(current.bytes);
    await current.file.appendFile(text);
    await current.file.datasync();
    current.bytes += Buffer.byteLength(text);
    current.newestAt = batch.at(-1)?.at ?? first.at;
    this.#unwritten.splice(0, batch.length);
  }

  async #fileFor({ seq, at }: SecurityEntry): Promise<Current> {
    const before = this.#current;
    if (before !== null && before.bytes < MAX_FILE_BYTES && monthOf(before.newestAt) === monthOf(at)) {
      return before;
    }
    const name = fileNameOf(seq);
    const file = await open(join(this.#folder, name), 'a', 0o600);
    await syncFolder(this.#folder);
    this.#current = { name, file, bytes: 0, newestAt: at };
    await before?.file.close();
    // Not awaited, because the removal adds an entry, which can only be written after these entries.
    if (before !== null && Math.abs(at - before.newestAt) <= MAX_GAP_MS) {
      this.#removing = this.#removing.then(() => this.#removeExpired(at)).catch(() => undefined);
    }
    return this.#current;
  }

  /** Adds an entry with the number of entries that were lost while nothing could be written. */
  #addLostEntry(): void {
    if (this.#lost === 0) return;
    const message = `${this.#lost} entries were lost`;
    this.#lost = 0;
    this.add({ kind: 'log.lost', ...OWN, message, cause: 'the log could not be written for too long' });
  }

  /**
   * Removes the oldest files as long as all of their entries are older than {@link KEPT_MS}. Before a file is
   * removed, an entry that names the file's last entry is on disk, so that the chain can still be verified from its
   * new beginning. Never runs twice at the same time, because each removal is recorded once.
   */
  async #removeExpired(now: number): Promise<void> {
    for (const name of await listSecurityFiles(this.#folder)) {
      if (name === this.#current?.name) return;
      const path = join(this.#folder, name);
      const last = lastEntry(await readFile(path, 'utf8'));
      if (this.#closed || last === null || last.at >= now - KEPT_MS) return;
      const removed = { seq: last.seq, hash: last.hash };
      const message = `The entries up to number ${last.seq} were removed`;
      this.add({ kind: 'log.expired', ...OWN, message, cause: 'they are older than 365 days', removed });
      await this.flushed();
      await rm(path);
      await syncFolder(this.#folder);
    }
  }
}

const OWN = { actor: 'overworld' } as const;

/** Returns the month (UTC) of a time (ms since epoch), such as `2026-11`. */
function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

function lastEntry(text: string): SecurityEntry | null {
  const lines = text.split('\n');
  for (const line of lines.reverse()) {
    const entry = parseLine(line);
    if (entry !== null) return entry;
  }
  return null;
}

/**
 * Opens the newest file for appending, and removes its incomplete last line. Damaged lines before that line stay, as
 * evidence.
 */
async function openLast(
  folder: string,
  names: readonly string[],
): Promise<{ head: Head; current: Current | null; tornBytes: number }> {
  const name = names.at(-1);
  if (name === undefined) return { head: EMPTY, current: null, tornBytes: 0 };
  const path = join(folder, name);
  const content = await readFile(path);
  const bytes = content.lastIndexOf(0x0a) + 1;
  const file = await open(path, 'a', 0o600);
  await file.truncate(bytes);
  await file.datasync();
  const entry =
    lastEntry(content.subarray(0, bytes).toString('utf8')) ?? (await lastOf(folder, names.slice(0, -1)));
  const head = entry === null ? EMPTY : { seq: entry.seq, hash: entry.hash };
  const current = { name, file, bytes, newestAt: entry?.at ?? 0 };
  return { head, current, tornBytes: content.length - bytes };
}

/** Returns the last readable entry of the given files. */
async function lastOf(folder: string, names: readonly string[]): Promise<SecurityEntry | null> {
  for (const name of names.toReversed()) {
    const entry = lastEntry(await readFile(join(folder, name), 'utf8'));
    if (entry !== null) return entry;
  }
  return null;
}
