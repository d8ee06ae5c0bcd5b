import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '#master/templates/pinned-folder.ts';
import { writeDurably } from '#master/store/write-durably.ts';
import { serviceIdSchema, type ServiceId } from '#shared/model/service.ts';
import type { Exit } from '../runtime.ts';
import { serviceRecordSchema, type RuntimeRecord } from '../service-record.ts';
import { exitOfStatus } from './signals.ts';
import { readSmallFile, rethrowUnlessFileError } from '#shared/node/small-file.ts';

/**
 * Size limit of a record (bytes). A typical record has about 1 KB, plus about 100 bytes for each default service
 * file.
 */
const MAX_RECORD_BYTES = 1_048_576;
/** Size limit of a file with a process id or an exit status (bytes). */
const MAX_NUMBER_BYTES = 32;

/**
 * Folder of one service: `files/` is the server's working directory, `run/` belongs to Overworld. The files in
 * `run/` show the service's progress: `spec.json` = prepared, `pid` = started (created by the wrapper, never
 * overwritten), `exit` = exited.
 */
export class ServiceFolder {
  readonly path: string;
  readonly files: string;
  readonly run: string;
  readonly console: string;
  readonly #id: ServiceId;
  #record: { readonly version: string; readonly record: RuntimeRecord } | null = null;

  constructor(root: string, id: ServiceId) {
    this.#id = id;
    this.path = join(root, id);
    this.files = join(this.path, 'files');
    this.run = join(this.path, 'run');
    this.console = join(this.run, 'console');
  }

  /** Creates an empty folder without `files/`. Removes an existing folder first. @throws errno errors */
  async make(): Promise<void> {
    await this.remove();
    await mkdir(this.path, { recursive: true, mode: 0o700 });
  }

  /** Removes the folder if it exists. @throws errno errors */
  async remove(): Promise<void> {
    this.#record = null;
    // The record is removed first. After an interrupted removal, the rest of the folder then cannot be started.
    await rm(join(this.run, 'spec.json'), { force: true });
    await removeTree(this.path);
  }

  /** Writes the service's record, which makes the service startable. @throws errno errors */
  async writeRecord(record: RuntimeRecord): Promise<void> {
    await writeDurably(join(this.run, 'spec.json'), `${JSON.stringify(record, null, 2)}\n`);
  }

  /**
   * Reads the service's record. Returns null if it does not exist, is not readable, or belongs to another service.
   */
  async readRecord(): Promise<RuntimeRecord | null> {
    const path = join(this.run, 'spec.json');
    try {
      const { ino, mtimeMs } = await stat(path);
      const version = `${ino}:${mtimeMs}`;
      if (this.#record?.version === version) return this.#record.record;
      const note = await readSmallFile(path, MAX_RECORD_BYTES);
      const record = note === null ? null : serviceRecordSchema.parse(JSON.parse(note.text));
      this.#record = record?.spec.id === this.#id ? { version, record } : null;
    } catch (error) {
      rethrowUnlessFileError(error);
      this.#record = null;
    }
    return this.#record?.record ?? null;
  }

  /**
   * Returns when the wrapper started the service (ms since epoch) and its process id; null if the service was never
   * started.
   */
  async readStart(): Promise<{ readonly at: number; readonly pid: number | null } | null> {
    const note = await readSmallFile(join(this.run, 'pid'), MAX_NUMBER_BYTES);
    if (note === null) return null;
    const pid = Number(note.text.trim());
    return { at: Math.round(note.stats.mtimeMs), pid: Number.isInteger(pid) && pid > 0 ? pid : null };
  }

  /** Returns the exit status of the process; null if the wrapper has not written it. */
  async readExit(): Promise<Exit | null> {
    const text = (await readSmallFile(join(this.run, 'exit'), MAX_NUMBER_BYTES))?.text.trim();
    return text !== undefined && /^\d{1,3}$/.test(text) ? exitOfStatus(Number(text)) : null;
  }

  /** Writes the exit status if the wrapper was killed before it could do so. An existing file is kept. */
  async noteExit(status: number): Promise<void> {
    if ((await this.readExit()) !== null || (await this.readStart()) === null) return;
    const path = join(this.run, 'exit');
    await writeFile(`${path}.part`, `${status}\n`);
    await rename(`${path}.part`, path);
  }
}

/** Returns the names in the folder `root` that are valid service ids. @throws errno errors */
export async function listServiceIds(root: string): Promise<ServiceId[]> {
  const names = await readdir(root);
  return names.filter((name) => serviceIdSchema.safeParse(name).success);
}
