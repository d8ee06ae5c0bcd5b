import { execFile } from 'node:child_process';
import { mkdir, readdir, realpath, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { featureOf } from '#shared/java-version.ts';
import { monotonicMs } from '#shared/node/clock.ts';
import { memoize } from '#shared/node/memoize.ts';
import { KeyedLock } from '../keyed-lock.ts';
import { findMachinesJava, isProgram, readJavaVersion } from '../process/java.ts';
import type { JavaPlatform } from './adoptium.ts';
import type { JavaDownloads } from './downloads.ts';
import { JavaProblem } from './java-problem.ts';
import type { InstalledJava } from './provide-java.ts';

/** Folders in which systems install several versions of Java side by side. */
const SYSTEM_FOLDERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ['/usr/lib/jvm'],
  darwin: ['/Library/Java/JavaVirtualMachines'],
};

/**
 * Paths of the `java` program in the folder of a version: the first path is for Linux, the second for macOS bundles.
 */
const PROGRAMS = ['bin/java', 'Contents/Home/bin/java'];

/** Time for which the list of versions is cached (ms). */
const LIST_BELIEVED_MS = 10_000;

/** Time after a failed installation during which the machine counts as having no Java (ms). */
const RETRY_MS = 300_000;

const UNPACK_TIMEOUT_MS = 300_000;

interface LocalJavaOptions {
  /** Folder of the versions that the master has installed, `<data>/java/versions`. Absent if it installs none. */
  readonly folder?: string;
  readonly downloads?: JavaDownloads;
  /** Folders with versions that the system has installed; default: the folders of the operating system. */
  readonly systemFolders: readonly string[] | undefined;
  /** Java program to use instead of the machine's. */
  readonly configured: string | undefined;
}

/** The versions of Java on the master's own machine. */
export class LocalJava {
  readonly #options: LocalJavaOptions;
  readonly #lock = new KeyedLock();
  /** When an installation failed (ms, `monotonicMs`); null if the last one succeeded. */
  #failedAt: number | null = null;
  #list: () => Promise<readonly InstalledJava[] | null>;

  constructor(options: LocalJavaOptions) {
    this.#options = options;
    this.#list = this.#cached();
  }

  /**
   * Returns the versions of Java on this machine, the default version first. A result is cached for 10 s. The cached
   * result is discarded earlier if one of its versions was removed, or if {@link installer} has installed a version.
   */
  async list(): Promise<readonly InstalledJava[]> {
    const found = (await this.#list()) ?? [];
    const exist = await Promise.all(found.map(({ path }) => isProgram(path)));
    if (exist.every(Boolean)) return found;
    this.#list = this.#cached();
    return (await this.#list()) ?? [];
  }

  /**
   * Reports whether services can get Java, because the machine has a version or a version can be installed. If the
   * machine has no version, returns false for 5 min after an installation has failed.
   */
  async isAvailable(): Promise<boolean> {
    if ((await this.list()).length > 0) return true;
    const failedAgo = this.#failedAt === null ? Infinity : monotonicMs() - this.#failedAt;
    return this.installer !== null && failedAgo > RETRY_MS;
  }

  /**
   * The function that downloads and unpacks a version; null if this master may not download Java. The function throws
   * JavaProblem, errno errors and DiskReserveReached.
   */
  get installer(): ((feature: number) => Promise<void>) | null {
    const { folder, downloads } = this.#options;
    if (folder === undefined || downloads?.isEnabled !== true) return null;
    return (feature) => this.#install(feature, { folder, downloads });
  }

  #install(
    feature: number,
    { folder, downloads }: { readonly folder: string; readonly downloads: JavaDownloads },
  ): Promise<void> {
    return this.#lock.run('install', async () => {
      try {
        const { build, path } = await downloads.archive(feature, platformOf(process));
        await this.#unpackTo(join(folder, build.release), path);
        this.#failedAt = null;
      } catch (error) {
        this.#failedAt = monotonicMs();
        throw error;
      }
    });
  }

  async #unpackTo(target: string, archive: string): Promise<void> {
    const part = `${target}.part`;
    await rm(part, { recursive: true, force: true });
    await mkdir(part, { recursive: true, mode: 0o700 });
    try {
      await unpack(archive, part);
      await rm(target, { recursive: true, force: true });
      await rename(part, target);
    } finally {
      await rm(part, { recursive: true, force: true });
      this.#list = this.#cached();
    }
  }

  #cached(): () => Promise<readonly InstalledJava[] | null> {
    return memoize(() => this.#find(), LIST_BELIEVED_MS);
  }

  /**
   * Finds the versions of Java on this machine. Returns null if there are none, so that this result is not cached.
   */
  async #find(): Promise<readonly InstalledJava[] | null> {
    const machines = await findMachinesJava(this.#options.configured);
    const { folder, systemFolders = SYSTEM_FOLDERS[process.platform] ?? [] } = this.#options;
    const folders = [...systemFolders, ...(folder === undefined ? [] : [folder])];
    const programs = [
      ...(machines === null ? [] : [machines]),
      ...(await Promise.all(folders.map(programsIn))).flat(),
    ];
    const found = new Map<string, InstalledJava>();
    for (const path of programs) {
      const real = await realpath(path);
      if (found.has(real)) continue;
      const version = await readJavaVersion(path);
      const feature = version === null ? null : featureOf(version);
      // The default of the machine also counts if its version is unknown: it fits a jar whose required version is
      // also unknown.
      if (feature !== null) found.set(real, { path, feature });
      else if (path === machines) found.set(real, { path, feature: 0 });
    }
    return found.size === 0 ? null : [...found.values()];
  }
}

/** Returns the `java` programs of the versions in a folder; none if it does not exist. */
async function programsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const candidates = names
    .filter((name) => !name.endsWith('.part'))
    .sort()
    .flatMap((name) => PROGRAMS.map((program) => join(folder, name, program)));
  const checked = await Promise.all(candidates.map(async (path) => ((await isProgram(path)) ? path : null)));
  return checked.filter((path) => path !== null);
}

/** Returns the platform of a process in the words of the API. @throws JavaProblem if no Java is offered for it */
export function platformOf({ platform, arch }: Pick<NodeJS.Process, 'platform' | 'arch'>): JavaPlatform {
  const os = platform === 'darwin' ? 'mac' : platform === 'linux' ? 'linux' : null;
  const architecture = arch === 'arm64' ? 'aarch64' : arch === 'x64' ? 'x64' : null;
  if (os === null || architecture === null)
    throw new JavaProblem(`there is no build of it for ${platform} on ${arch}`);
  return { os, architecture };
}

async function unpack(archive: string, folder: string): Promise<void> {
  const how = ['-xzf', archive, '-C', folder, '--strip-components=1', '--no-same-owner'];
  try {
    await promisify(execFile)('tar', how, { timeout: UNPACK_TIMEOUT_MS, env: { PATH: process.env['PATH'] } });
  } catch (error) {
    // tar reports a full disk only in words, which execFile adds to its error.
    const { stderr = '' } = error as { stderr?: string };
    if (/No space left on device|Disk quota exceeded/.test(stderr))
      throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
    throw new JavaProblem(
      `its archive could not be unpacked: ${stderr.trim().split('\n').at(-1) ?? 'tar failed'}`,
      {
        cause: error,
      },
    );
  }
}
