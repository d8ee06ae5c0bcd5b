import { rm } from 'node:fs/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { softwareName, type SoftwareChoice } from '#shared/model/software.ts';
import type { DiskReserve } from '#master/store/disk-reserve.ts';
import { readJar } from '#master/templates/jar-info.ts';
import { bundledJarPath, isBundled } from './bundled-jars.ts';
import type { SoftwareCatalogue } from './catalogue/catalogue.ts';
import { downloadJar, type DownloadProgress } from './download/download-jar.ts';
import type { JarCache, KnownBuild } from './download/jar-cache.ts';
import type { PublishedSoftware } from './source.ts';

export interface SoftwareLibraryOptions {
  readonly catalogue: SoftwareCatalogue;
  readonly cache: JarCache;
  /** Reserve of the disk that contains the cache. */
  readonly reserve: DiskReserve;
  /** The included software by the sha256 of its jar (bundled-jars.ts). */
  readonly bundled: ReadonlyMap<string, SoftwareChoice>;
}

/** Parameters of a requested download: the signal that cancels it, and the receiver of its progress. */
export interface DownloadWork {
  readonly signal: AbortSignal;
  readonly progress: DownloadProgress;
}

/**
 * The server software that the master can put into templates: the software that is included in Overworld, and the
 * software that the master has downloaded.
 */
export class SoftwareLibrary {
  readonly catalogue: SoftwareCatalogue;
  readonly #cache: JarCache;
  readonly #reserve: DiskReserve;
  /**
   * Downloads in progress, by build. A second caller for the same build waits, and then finds the jar in the cache.
   */
  readonly #running = new Map<string, Promise<unknown>>();
  /** The included software by the sha256 of its jar. */
  readonly #bundled: ReadonlyMap<string, SoftwareChoice>;

  constructor({ catalogue, cache, reserve, bundled }: SoftwareLibraryOptions) {
    this.#bundled = bundled;
    this.catalogue = catalogue;
    this.#cache = cache;
    this.#reserve = reserve;
  }

  /** Returns the builds whose jars are in the cache, the last downloaded one first. */
  async cached(): Promise<readonly KnownBuild[]> {
    const { builds } = this.#cache;
    const isThere = await Promise.all(builds.map((build) => this.#cache.has(build)));
    return builds.filter((_, n) => isThere[n]);
  }

  /**
   * Returns the path of the jar of a build, and records that the jar is used now. Use the path immediately, because
   * the jar may be removed later.
   *
   * @throws OverworldError SOFTWARE_NOT_DOWNLOADED, BUNDLED_JAR_MISSING
   */
  async jarPath(choice: SoftwareChoice): Promise<string> {
    const { software } = choice;
    if (isBundled(software)) return bundledJarPath(software);
    const known = this.#cache.find(choice);
    if (known === undefined || !(await this.#cache.has(known))) {
      throw new OverworldError('SOFTWARE_NOT_DOWNLOADED', { software: softwareName(choice) });
    }
    await this.#cache.touch(choice);
    return this.#cache.pathOf(known);
  }

  /**
   * Returns the build to which a jar belongs. Null if the jar is not included in Overworld and was not downloaded by
   * this master.
   *
   * @param sha256 hash of the jar in hex
   */
  buildOf(sha256: string): SoftwareChoice | null {
    const known = this.#cache.buildOf(sha256);
    if (known !== undefined) {
      const { software, version, build } = known;
      return { software, version, build };
    }
    return this.#bundled.get(sha256) ?? null;
  }

  /**
   * Downloads a build, unless its jar is in the cache or is included in Overworld. If the same build is already being
   * downloaded, waits for that download.
   *
   * @returns the version and build that were chosen; both are null for included software
   * @throws OverworldError SOFTWARE_NOT_FOUND, SOFTWARE_HASH_DIFFERS, DISK_FULL, DISK_RESERVED and the errors of
   *   HttpSource
   */
  async download(choice: SoftwareChoice, work: DownloadWork): Promise<SoftwareChoice> {
    const { software } = choice;
    if (isBundled(software)) return { software, version: null, build: null };
    const completed = await this.catalogue.complete(software, choice);
    const key = softwareName(completed);
    for (let other = this.#running.get(key); other !== undefined; other = this.#running.get(key)) {
      await other.catch(() => undefined);
    }
    const known = this.#cache.find(completed);
    if (known !== undefined && (await this.#cache.has(known))) {
      await this.#cache.touch(completed);
      return completed;
    }
    const running = this.#download(software, completed, work);
    this.#running.set(key, running);
    try {
      await running;
    } finally {
      this.#running.delete(key);
    }
    return completed;
  }

  async #download(
    software: PublishedSoftware,
    choice: SoftwareChoice & { readonly version: string },
    { signal, progress }: DownloadWork,
  ): Promise<void> {
    const { http, source } = this.catalogue.publisher(software);
    const jar = await source.jar(software, choice.version, choice.build);
    signal.throwIfAborted();
    const what = softwareName(choice);
    const part = this.#cache.partPath(choice);
    const sha256 = await downloadJar(part, { jar, what }, { http, reserve: this.#reserve, signal, progress });
    const reading = await readJar(part);
    if (reading.kind === 'broken') {
      await rm(part, { force: true });
      const { why } = reading;
      throw new OverworldError('SOFTWARE_ANSWER_UNREADABLE', { publisher: 'Its publisher', what, why });
    }
    await this.#cache.add(part, { ...choice, sha256, verified: jar.hash?.algorithm ?? null });
  }
}
