import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { monotonicMs } from '#shared/node/clock.ts';
import { writeDurably } from '#master/store/write-durably.ts';
import { KeyedLock } from '../keyed-lock.ts';
import { findBuild, type JavaBuild, type JavaPlatform } from './adoptium.ts';
import { download, sizeOf } from './download.ts';
import { JavaProblem } from './java-problem.ts';

/**
 * Time after a failed download during which the same download is not tried again (ms), unless the host names another
 * time.
 */
const PAUSE_MS = 60_000;

/** A verified archive on the master's disk. */
export interface JavaArchive {
  readonly build: JavaBuild;
  readonly path: string;
}

export interface JavaDownloadsOptions {
  /** Folder of the archives, `<data>/java/downloads`. The folder is created when the first archive is needed. */
  readonly folder: string;
  /** Address of the API, such as `https://api.adoptium.net`. Null if nothing may be downloaded. */
  readonly url: string | null;
  /** Throws if the disk has no room for this number of additional bytes. */
  readonly reserve: (bytes: number) => void;
  /** Monotonic clock (ms). */
  readonly clock?: () => number;
}

const buildSchema = z.object({
  feature: z.int(),
  release: z.string(),
  name: z.string(),
  url: z.string(),
  sha256: z.string(),
  size: z.int(),
});

/**
 * Java runtimes that the master has downloaded, for its own machine and for nodes (docs/adr/0047-java-versions.md).
 * Each is downloaded once. A later call returns the stored archive, even after a restart and without a network.
 */
export class JavaDownloads {
  readonly #options: JavaDownloadsOptions;
  readonly #lock = new KeyedLock();
  readonly #failed = new Map<string, { readonly problem: JavaProblem; readonly until: number }>();

  constructor(options: JavaDownloadsOptions) {
    this.#options = options;
  }

  /** Whether this master may download at all. */
  get isEnabled(): boolean {
    return this.#options.url !== null;
  }

  /**
   * Returns the archive of a JRE. Downloads it if it is not stored yet. Parallel calls share one download. After a
   * failure, calls within the next minute, or before the time that the host names, fail with the same error.
   *
   * @param feature version of Java, such as 21
   * @throws JavaProblem; errno errors of the disk; errors of `reserve`
   */
  archive(feature: number, platform: JavaPlatform): Promise<JavaArchive> {
    const key = `${feature}-${platform.os}-${platform.architecture}`;
    return this.#lock.run(key, async () => {
      const { folder, url, reserve, clock = monotonicMs } = this.#options;
      const stored = await this.#stored(key);
      if (stored !== null) return stored;
      if (url === null) throw new JavaProblem('this master does not download Java');
      const failed = this.#failed.get(key);
      if (failed !== undefined && clock() < failed.until) throw failed.problem;
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const build = await findBuild(url, feature, platform);
        const path = join(folder, build.name);
        await download(build, path, reserve);
        await writeDurably(join(folder, `${key}.json`), `${JSON.stringify(build, null, 2)}\n`);
        this.#failed.delete(key);
        return { build, path };
      } catch (error) {
        if (error instanceof JavaProblem)
          this.#failed.set(key, { problem: error, until: clock() + (error.pauseMs ?? PAUSE_MS) });
        throw error;
      }
    });
  }

  /** Returns a stored archive whose record is complete; null if there is none. */
  async #stored(key: string): Promise<JavaArchive | null> {
    const { folder } = this.#options;
    try {
      const build = buildSchema.parse(JSON.parse(await readFile(join(folder, `${key}.json`), 'utf8')));
      const path = join(folder, build.name);
      // If a person has removed the archive, the newest build is downloaded.
      return (await sizeOf(path)) === build.size ? { build, path } : null;
    } catch {
      return null;
    }
  }
}
