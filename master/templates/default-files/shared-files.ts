import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import type { FileEntry } from '#shared/config/template.ts';
import { DefaultFileReader } from './default-file-facts.ts';
import { DefaultFileProblem, listDefaultFiles } from './default-files.ts';
import { diskCode } from '../disk-problem.ts';
import { readJar } from '../jar-info.ts';
import type { ServerJarFacts } from '../template-files.ts';
import { watchTree } from '../watch-tree.ts';

/** Time without changes after which the folder is read again (ms). */
const QUIET_MS = 500;

/** Interval of polling if the system cannot watch the folder (ms). */
const POLL_MS = 10_000;

/**
 * Called after shared files have changed.
 *
 * @param hasChanged returns whether the files of the given entries have changed
 */
type Listener = (hasChanged: (entries: readonly FileEntry[]) => boolean) => void;

interface Known {
  readonly entries: readonly FileEntry[];
  /**
   * Fingerprint of all files of the entries. It starts with `!` if the files cannot be read. Null before they are
   * read for the first time.
   */
  fingerprint: string | null;
  /**
   * What the `server.jar` among the files states; null if there is none. Undefined before the files are read for the
   * first time. If the files cannot be read, this is the last known value.
   */
  serverJar: ServerJarFacts | null | undefined;
}

/** The master's shared files (`defaultServiceFiles` in docs/specification.md), with change detection. */
export class SharedFiles {
  /** Folder of the shared files, `<data>/files`. */
  readonly folder: string;
  readonly #reader = new DefaultFileReader();
  readonly #known = new Map<string, Known>();
  readonly #listeners = new Set<Listener>();
  readonly #failed: (error: unknown) => void;
  readonly #watching: Promise<{ close(): void }>;
  #timer: NodeJS.Timeout | null = null;
  #poll: NodeJS.Timeout | null = null;

  /** @param failed called with each error of reading that is not a problem of the files themselves */
  constructor(folder: string, failed: (error: unknown) => void) {
    this.folder = folder;
    this.#failed = failed;
    this.#watching = this.#watch();
  }

  /**
   * Subscribes to changes. The listener gets a function that returns whether the files of given entries have changed.
   *
   * @returns a function that unsubscribes
   */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Returns the fingerprint of the entries' files. Null if the files cannot be read, or have not been read yet. Files
   * that have not been read yet are read soon afterwards. An empty string if the list has no entries.
   */
  fingerprint(entries: readonly FileEntry[]): string | null {
    if (entries.length === 0) return '';
    const key = JSON.stringify(entries);
    const known = this.#known.get(key)?.fingerprint;
    if (known !== undefined) return known?.startsWith('!') === true ? null : known;
    this.#known.set(key, { entries, fingerprint: null, serverJar: undefined });
    this.#readSoon();
    return null;
  }

  /**
   * Returns what the `server.jar` among the entries' files states. Null if the files contain none. Undefined if they
   * have not been read yet; they are read soon afterwards.
   */
  serverJar(entries: readonly FileEntry[]): ServerJarFacts | null | undefined {
    if (entries.length === 0) return null;
    this.fingerprint(entries);
    return this.#known.get(JSON.stringify(entries))?.serverJar;
  }

  /**
   * Reads the files of the entries immediately, for a service that is about to start. Listeners are notified if the
   * files have changed.
   */
  async read(entries: readonly FileEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const key = JSON.stringify(entries);
    const now = await this.#compute(entries);
    const before = this.#known.get(key);
    this.#known.set(key, { entries, ...now });
    if (hasChanged(before, now)) this.#emit(new Set([key]));
  }

  /** Stops watching the files and removes all listeners. */
  async close(): Promise<void> {
    (await this.#watching).close();
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#poll !== null) clearInterval(this.#poll);
    this.#listeners.clear();
  }

  /** Creates the folder if it does not exist, and watches it. */
  async #watch(): Promise<{ close(): void }> {
    const failed = (): void => {
      this.#poll ??= setInterval(() => this.#readSoon(), POLL_MS).unref();
    };
    await mkdir(this.folder, { recursive: true, mode: 0o700 }).catch(failed);
    return watchTree(this.folder, { touched: () => this.#readSoon(), failed });
  }

  #readSoon(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#readAll().catch(this.#failed);
    }, QUIET_MS);
  }

  async #readAll(): Promise<void> {
    const changed = new Set<string>();
    for (const [key, known] of this.#known) {
      try {
        const now = await this.#compute(known.entries);
        if (hasChanged(known, now)) changed.add(key);
        Object.assign(known, now);
      } catch (error) {
        this.#failed(error);
      }
    }
    if (changed.size > 0) this.#emit(changed);
  }

  #emit(changed: ReadonlySet<string>): void {
    for (const listener of this.#listeners) listener((entries) => changed.has(JSON.stringify(entries)));
  }

  async #compute(entries: readonly FileEntry[]): Promise<FileFacts> {
    const last = this.#known.get(JSON.stringify(entries));
    try {
      const hash = createHash('sha256');
      let jar: string | null = null;
      for (const { path, source } of await listDefaultFiles(entries, this.folder)) {
        const facts = path.endsWith('/') ? null : await this.#reader.read(source);
        hash.update(JSON.stringify([path, facts?.mode ?? 0, facts?.hash ?? '']));
        if (path === 'server.jar') jar = source;
      }
      const fingerprint = hash.digest('hex').slice(0, 16);
      if (last?.fingerprint === fingerprint) return { fingerprint, serverJar: last.serverJar };
      return { fingerprint, serverJar: jar === null ? null : await readFacts(jar) };
    } catch (error) {
      if (!isFileProblem(error)) throw error;
      return { fingerprint: `!${error.message}`, serverJar: last?.serverJar ?? null };
    }
  }
}

/** Reports whether files cannot be read, for example because they belong to another user of the machine. */
function isFileProblem(error: unknown): error is Error {
  return error instanceof DefaultFileProblem || diskCode(error) !== undefined;
}

type FileFacts = Pick<Known, 'fingerprint' | 'serverJar'>;

function hasChanged(before: FileFacts | undefined, now: FileFacts): boolean {
  return before !== undefined && before.fingerprint !== null && before.fingerprint !== now.fingerprint;
}

async function readFacts(jar: string): Promise<ServerJarFacts> {
  const reading = await readJar(jar);
  if (reading.kind === 'broken') return { software: null, needsJava: null };
  return { software: reading.software, needsJava: reading.needsJava };
}
