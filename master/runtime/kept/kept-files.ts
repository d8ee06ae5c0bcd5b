import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { z } from 'zod';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { keptFileSchema, type KeptFile, type KeptRun } from '#shared/model/service-files.ts';
import { serviceIdSchema, type ServiceId } from '#shared/model/service.ts';

/** Maximum number of runs of one service for which files are kept. The files of the oldest runs are deleted. */
const MAX_RUNS_OF_SERVICE = 3;

/** Maximum total size of the kept files of all services (bytes). The files of the oldest runs are deleted. */
const MAX_BYTES = 256 * 1_048_576;

/** Maximum size of the text of one file (bytes), in particular of a compressed log. */
const MAX_TEXT_BYTES = 1_048_576;

const SUFFIX = '.files';
const INDEX = 'index.json';
const indexSchema = z.array(keptFileSchema);
const unzip = promisify(gunzip);

/** A file of an ended service, or the part of it that is kept. */
export interface CollectedFile extends Pick<KeptFile, 'path' | 'changedAt' | 'whole'> {
  readonly content: Buffer;
}

interface Run {
  readonly id: ServiceId;
  readonly endedAt: number;
  readonly bytes: number;
}

export interface KeptFilesOptions {
  /** Default: {@link MAX_BYTES}. */
  readonly maxBytes?: number;
}

/**
 * Crash reports and logs of ended services, beside their console logs:
 *
 *     <folder>/<id>.files/<time of the end>/index.json    paths, sizes and times
 *     <folder>/<id>.files/<time of the end>/0, 1, …       contents, in the same sequence
 */
export class KeptFiles {
  readonly #folder: string;
  readonly #maxBytes: number;
  /** Stored runs of all services, oldest first. The list is read from the disk once. */
  #runs: Promise<Run[]> | null = null;
  /** The last scheduled change. Changes are made one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param folder `<data>/logs` */
  constructor(folder: string, { maxBytes = MAX_BYTES }: KeptFilesOptions = {}) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  /**
   * Stores the files of a service that has ended. Does nothing if there are none. Afterwards deletes the files of the
   * oldest runs: the last three runs of each service are kept, and at most 256 MiB for all services together.
   *
   * @param endedAt ms since epoch
   * @throws errno errors
   */
  add(id: ServiceId, endedAt: number, files: readonly CollectedFile[]): Promise<void> {
    if (files.length === 0) return Promise.resolve();
    return this.#change(async (runs) => {
      // Two ends of a service within one millisecond are not possible, but the clock may have been set back.
      const taken = new Set(runs.filter((run) => run.id === id).map((run) => run.endedAt));
      let at = endedAt;
      while (taken.has(at)) at++;
      await this.#write(id, at, files);
      runs.push({ id, endedAt: at, bytes: sizeOf(files) });
      await this.#makeRoom(runs, id);
    });
  }

  /** Returns the runs of a service for which files are kept, newest first. */
  async list(id: ServiceId): Promise<readonly KeptRun[]> {
    const runs = await this.#stored();
    const kept: KeptRun[] = [];
    for (const { endedAt } of runs.filter((run) => run.id === id).toSorted((a, b) => b.endedAt - a.endedAt)) {
      const files = await this.#index(id, endedAt);
      if (files !== null) kept.push({ endedAt, files: [...files] });
    }
    return kept;
  }

  /**
   * Returns the text of a kept file, at most 1 MiB. A compressed log is decompressed.
   *
   * @param endedAt end of the service, as {@link list} returns it (ms since epoch)
   * @returns the text, and whether it is the complete file
   * @throws OverworldError FILE_NOT_FOUND; FILE_FORBIDDEN if a compressed log is damaged or longer than 1 MiB
   */
  async read(
    id: ServiceId,
    endedAt: number,
    path: string,
  ): Promise<{ readonly text: string; readonly whole: boolean }> {
    const files = (await this.#index(id, endedAt)) ?? [];
    const at = files.findIndex((file) => file.path === path);
    const content =
      at < 0 ? null : await readFile(join(this.#pathOf(id, endedAt), String(at))).catch(() => null);
    if (content === null) throw new OverworldError('FILE_NOT_FOUND', { path: `${id}/${path}` });
    const whole = files[at]?.whole === true;
    if (!path.endsWith('.gz')) return { text: content.toString('utf8'), whole };
    const text = await unzip(content, { maxOutputLength: MAX_TEXT_BYTES }).catch(() => null);
    if (text === null)
      throw new OverworldError('FILE_FORBIDDEN', {
        path: `${id}/${path}`,
        why: 'it is not a compressed text of at most 1 MB',
      });
    return { text: text.toString('utf8'), whole };
  }

  /** Deletes all kept files of a service. @throws errno errors */
  remove(id: ServiceId): Promise<void> {
    return this.#change(async (runs) => {
      if (!runs.some((run) => run.id === id)) return;
      await rm(join(this.#folder, `${id}${SUFFIX}`), { recursive: true, force: true });
      keepOnly(runs, (run) => run.id !== id);
    });
  }

  async #change(work: (runs: Run[]) => Promise<void>): Promise<void> {
    const mine = this.#last.then(async () => work(await this.#stored()));
    this.#last = mine.catch(() => undefined);
    await mine;
  }

  async #write(id: ServiceId, endedAt: number, files: readonly CollectedFile[]): Promise<void> {
    const path = this.#pathOf(id, endedAt);
    const part = `${path}.part`;
    try {
      await mkdir(part, { recursive: true, mode: 0o700 });
      for (const [at, { content }] of files.entries())
        await writeFile(join(part, String(at)), content, { mode: 0o600 });
      const index = files.map(({ content, ...file }) => ({ ...file, bytes: content.length }));
      await writeFile(join(part, INDEX), JSON.stringify(index), { mode: 0o600 });
      await rename(part, path);
    } catch (error) {
      await rm(part, { recursive: true, force: true });
      throw error;
    }
  }

  /**
   * Deletes the files of a service's oldest runs, then the files of the oldest runs of all services, until the limits
   * are met.
   */
  async #makeRoom(runs: Run[], id: ServiceId): Promise<void> {
    const own = runs.filter((run) => run.id === id);
    const gone = new Set(own.slice(0, Math.max(0, own.length - MAX_RUNS_OF_SERVICE)));
    let bytes = runs.reduce((sum, run) => sum + (gone.has(run) ? 0 : run.bytes), 0);
    for (const run of runs) {
      if (bytes <= this.#maxBytes) break;
      if (gone.has(run)) continue;
      gone.add(run);
      bytes -= run.bytes;
    }
    for (const run of gone) await this.#delete(run, runs);
  }

  async #delete(gone: Run, runs: Run[]): Promise<void> {
    await rm(this.#pathOf(gone.id, gone.endedAt), { recursive: true, force: true });
    keepOnly(runs, (run) => run !== gone);
    // The service's folder is removed together with the service's last run.
    if (!runs.some(({ id }) => id === gone.id))
      await rm(join(this.#folder, `${gone.id}${SUFFIX}`), { recursive: true, force: true });
  }

  #pathOf(id: ServiceId, endedAt: number): string {
    return join(this.#folder, `${id}${SUFFIX}`, String(endedAt));
  }

  /** Reads the index of one run; null if it is missing or damaged. */
  async #index(id: ServiceId, endedAt: number): Promise<readonly KeptFile[] | null> {
    try {
      const text = await readFile(join(this.#pathOf(id, endedAt), INDEX), 'utf8');
      return indexSchema.parse(JSON.parse(text));
    } catch {
      return null;
    }
  }

  #stored(): Promise<Run[]> {
    this.#runs ??= this.#scan();
    return this.#runs;
  }

  async #scan(): Promise<Run[]> {
    const runs: Run[] = [];
    const names = await readdir(this.#folder).catch(() => []);
    for (const id of names
      .filter((name) => name.endsWith(SUFFIX))
      .map((name) => name.slice(0, -SUFFIX.length))) {
      if (!serviceIdSchema.safeParse(id).success) continue;
      for (const name of await readdir(join(this.#folder, `${id}${SUFFIX}`)).catch(() => [])) {
        const files = /^\d{1,16}$/.test(name) ? await this.#index(id, Number(name)) : null;
        // After an interrupted write, or with a damaged index, no file of the run can be shown.
        if (files === null)
          await rm(join(this.#folder, `${id}${SUFFIX}`, name), { recursive: true, force: true });
        else
          runs.push({ id, endedAt: Number(name), bytes: files.reduce((sum, file) => sum + file.bytes, 0) });
      }
    }
    return runs.sort((a, b) => a.endedAt - b.endedAt);
  }
}

function sizeOf(files: readonly CollectedFile[]): number {
  return files.reduce((sum, { content }) => sum + content.length, 0);
}

function keepOnly(runs: Run[], keeps: (run: Run) => boolean): void {
  runs.splice(0, runs.length, ...runs.filter(keeps));
}
