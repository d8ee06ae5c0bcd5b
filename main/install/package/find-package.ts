import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { hashLocalFile } from '../../transfers/local/hash-file.ts';
import { packageName } from './deb-version.ts';

/** Architectures for which the master is packed, by Debian's names. */
export const packageArches = ['amd64', 'arm64'] as const;
export type PackageArch = (typeof packageArches)[number];

/** A package on this computer. */
export interface LocalPackage {
  readonly path: string;
  /** Name of the file. */
  readonly file: string;
  readonly bytes: number;
  /** SHA-256 (hex). */
  readonly sha256: string;
}

/** Where the packages of this app's version come from. */
export interface PackageSource {
  /** Folder with the packages. */
  readonly folder: string;
  /**
   * Builds the packages. Null if the app does not run from a checkout. `report` receives lines for people.
   *
   * @throws OverworldError PACKAGE_MISSING, or the signal's abort reason
   */
  readonly build: ((options: BuildOptions) => Promise<void>) | null;
}

export interface BuildOptions {
  /** Name of the requested file, for messages. */
  readonly file: string;
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
}

/**
 * Finds the master's package, or builds it in a checkout.
 *
 * @param wanted.version version of the project (semver)
 * @throws OverworldError PACKAGE_MISSING, LOCAL_FILE_UNREADABLE, or the signal's abort reason
 */
export async function findPackage(
  { folder, build }: PackageSource,
  wanted: { readonly version: string; readonly arch: PackageArch },
  work: Omit<BuildOptions, 'file'>,
): Promise<LocalPackage> {
  const path = join(folder, packageName(wanted.version, wanted.arch));
  const found = await describe(path);
  if (found !== null) return found;
  const file = basename(path);
  if (build === null) throw new OverworldError('PACKAGE_MISSING', { file, why: `it is not in ${folder}` });
  await build({ ...work, file });
  const built = await describe(path);
  if (built === null) {
    throw new OverworldError('PACKAGE_MISSING', { file, why: `the build did not write it into ${folder}` });
  }
  return built;
}

async function describe(path: string): Promise<LocalPackage | null> {
  const sha256 = await hashLocalFile(path);
  if (sha256 === null) return null;
  return { path, file: basename(path), bytes: (await stat(path)).size, sha256 };
}
