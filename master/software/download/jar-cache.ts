import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { softwareChoiceSchema, type SoftwareChoice } from '#shared/model/software.ts';
import { openJsonFile, type JsonFile } from '#master/store/json-file.ts';
import { syncFolder } from '#master/store/write-durably.ts';

/**
 * Maximum size of all jars in the cache together (bytes). The jar that was used last is kept even if it is larger.
 */
const MAX_CACHE_BYTES = 2 * 2 ** 30;

/**
 * Maximum number of builds to store in the list, including builds whose jars were removed. The list tells from which
 * build a jar comes.
 */
const MAX_REMEMBERED = 1_000;

const knownSchema = softwareChoiceSchema.extend({
  /** sha256 of the jar in hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int(),
  /** Algorithm of the hash that the publisher states. Null if the publisher states no hash. */
  verified: z.enum(['sha256', 'sha1', 'md5']).nullable(),
  /** `at`: when the build was downloaded. `usedAt`: when its jar was last used. Both in ms since epoch. */
  at: z.int(),
  usedAt: z.int(),
});
/** A build that was downloaded by this master; its jar may have been removed. */
export type KnownBuild = z.infer<typeof knownSchema>;

const indexSchema = z.object({ builds: z.array(knownSchema) });

export interface JarCacheOptions {
  /** Folder of the jars and of incomplete downloads. */
  readonly folder: string;
  /** Path of the file with the list of known builds. */
  readonly index: string;
  readonly now: () => number;
  /** Maximum size of all jars together (bytes); default 2 GB. */
  readonly maxBytes?: number;
}

/**
 * Cache of downloaded jars. Each jar is named by the sha256 of its content. If the jars together are too large, the
 * jars that have not been used for the longest time are removed. Their builds stay in the list of known builds.
 */
export class JarCache {
  readonly #options: JarCacheOptions;
  readonly #index: JsonFile<z.infer<typeof indexSchema>>;

  private constructor(options: JarCacheOptions, index: JsonFile<z.infer<typeof indexSchema>>) {
    this.#options = options;
    this.#index = index;
  }

  /** Opens the cache. Creates its folder. @throws OverworldError DATA_FAULTY */
  static async open(options: JarCacheOptions): Promise<JarCache> {
    await mkdir(options.folder, { recursive: true, mode: 0o700 });
    return new JarCache(options, await openJsonFile(options.index, indexSchema, { builds: [] }));
  }

  /** Returns all builds that were downloaded, the latest download first. Their jars may have been removed. */
  get builds(): readonly KnownBuild[] {
    return this.#index.data.builds;
  }

  /** Returns the build of a jar. Undefined if the master did not download it. @param sha256 of the jar in hex */
  buildOf(sha256: string): KnownBuild | undefined {
    return this.builds.find((build) => build.sha256 === sha256);
  }

  /** Returns the build for a choice of software, version and build. Undefined if it was never downloaded. */
  find(choice: SoftwareChoice): KnownBuild | undefined {
    return this.builds.find((build) => isSame(build, choice));
  }

  /** Returns the path of the jar of a build. The jar may have been removed. */
  pathOf({ sha256 }: Pick<KnownBuild, 'sha256'>): string {
    return join(this.#options.folder, `${sha256}.jar`);
  }

  /** Returns the path for the incomplete download of a build. */
  partPath({ software, version, build }: SoftwareChoice): string {
    const name = [software, version, build].filter((part) => part !== null).join(' ');
    return join(this.#options.folder, `${encodeURIComponent(name)}.part`);
  }

  /** Reports whether the cache has the jar of this build. Compares only its size, not its hash. */
  async has(build: Pick<KnownBuild, 'sha256' | 'bytes'>): Promise<boolean> {
    const size = await stat(this.pathOf(build)).then(
      (found) => found.size,
      () => -1,
    );
    return size === build.bytes;
  }

  /** Records that a jar is used now, so that other jars are removed before it. */
  async touch(used: SoftwareChoice): Promise<void> {
    const usedAt = this.#options.now();
    await this.#index.update(({ builds }) => ({
      builds: builds.map((build) => (isSame(build, used) ? { ...build, usedAt } : build)),
    }));
  }

  /**
   * Moves a complete download into the cache. Then removes the jars that exceed the maximum size. Throws errno
   * errors.
   *
   * @param part path of the complete, flushed file
   */
  async add(
    part: string,
    added: SoftwareChoice & Pick<KnownBuild, 'sha256' | 'verified'>,
  ): Promise<KnownBuild> {
    const { size: bytes } = await stat(part);
    await rename(part, this.pathOf(added));
    await syncFolder(this.#options.folder);
    const at = this.#options.now();
    const build: KnownBuild = { ...added, bytes, at, usedAt: at };
    await this.#index.update(({ builds }) => ({
      builds: [build, ...builds.filter((known) => !isSame(known, build))].slice(0, MAX_REMEMBERED),
    }));
    await this.#makeRoom(build.sha256);
    return build;
  }

  async #makeRoom(keep: string): Promise<void> {
    const { folder, maxBytes = MAX_CACHE_BYTES } = this.#options;
    const usedAt = new Map<string, number>();
    for (const build of this.builds) {
      usedAt.set(`${build.sha256}.jar`, Math.max(build.usedAt, usedAt.get(`${build.sha256}.jar`) ?? 0));
    }
    const found = await Promise.all(
      (await readdir(folder)).map(async (name) => {
        // Another download may have renamed its file in the meantime. A folder is not one of the cache.
        const facts = await stat(join(folder, name)).catch(() => null);
        if (facts?.isFile() !== true) return null;
        const { size, mtimeMs } = facts;
        return { name, size, usedAt: usedAt.get(name) ?? (name.endsWith('.part') ? mtimeMs : 0) };
      }),
    );
    const files = found.filter((file) => file !== null);
    let bytes = files.reduce((sum, { size }) => sum + size, 0);
    for (const { name, size } of files.sort((a, b) => a.usedAt - b.usedAt)) {
      if (bytes <= maxBytes) return;
      if (name === `${keep}.jar`) continue;
      await rm(join(folder, name), { force: true });
      bytes -= size;
    }
  }
}

function isSame(a: SoftwareChoice, b: SoftwareChoice): boolean {
  return a.software === b.software && a.version === b.version && a.build === b.build;
}
