import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeDurably } from '#master/store/write-durably.ts';
import { removeTree } from '../machine/remove-tree.ts';
import { flushDisk } from '../machine/flush-disk.ts';
import type { PackageKind } from './decide/acceptance.ts';
import { superfluousVersions, type KeptVersion } from './decide/kept-versions.ts';
import type { Packaging } from './packages/packaging.ts';
import { STORE, WORK } from './places.ts';

const keptSchema = z.object({ version: z.string(), keptAt: z.int(), mark: z.string() });

/** A version that was installed before, with its package and its data. */
export interface KeptFolder extends KeptVersion {
  /** Mark that identifies the content of the version's package. */
  readonly mark: string;
  readonly folder: string;
  readonly package: string;
  /** Copy of the version's configuration and state, made when the version was stopped. */
  readonly data: string;
}

const currentSchema = z.object({ mark: z.string() });

const CURRENT = join(STORE, 'current.json');

/**
 * Returns the path at which the package of the installed version is kept. The file exists only if an upgrade has
 * installed that version.
 */
function currentPackage(kind: PackageKind): string {
  return join(STORE, `current.${kind}`);
}

/** Removes the files of a running or interrupted upgrade. Keeps the store. */
export async function removeWork({ unpackFolder }: Pick<Packaging, 'unpackFolder'>): Promise<void> {
  for (const folder of [WORK, unpackFolder]) await removeTree(folder);
}

/**
 * Creates the folders of the store. The master's user may enter them but cannot list them. It needs this access
 * because the checks read unpacked programs and copies of the data as that user.
 */
export async function openStore(): Promise<void> {
  for (const folder of [STORE, WORK]) {
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o711);
  }
}

/** Returns the paths for a version that is kept or will be kept. */
function placesOf(version: string, kind: PackageKind): Pick<KeptFolder, 'folder' | 'package' | 'data'> {
  const folder = join(STORE, version);
  return { folder, package: join(folder, `package.${kind}`), data: join(folder, 'data') };
}

/** Reads the facts about a kept version. Null if the version is not kept completely. */
export async function readKept(version: string, kind: PackageKind): Promise<KeptFolder | null> {
  const places = placesOf(version, kind);
  const facts = await readJson(join(places.folder, 'kept.json'), keptSchema);
  return facts === null || !existsSync(places.package) ? null : { ...facts, ...places };
}

/**
 * Keeps the package of the installed version, which is about to be replaced.
 *
 * @param pack makes a package from the installed files; called if no earlier upgrade has kept the package
 */
export async function keepInstalled(
  installed: { readonly version: string; readonly kind: PackageKind; readonly mark: string },
  pack: (file: string) => Promise<void>,
): Promise<KeptFolder> {
  const { version, kind, mark } = installed;
  const places = placesOf(version, kind);
  const { folder } = places;
  const [kept, current] = [await readKept(version, kind), await readJson(CURRENT, currentSchema)];
  await mkdir(folder, { recursive: true, mode: 0o755 });
  for (const name of ['kept.json', 'data']) await removeTree(join(folder, name));
  if (kept?.mark !== mark) {
    if (current?.mark === mark && existsSync(currentPackage(kind)))
      await rename(currentPackage(kind), places.package);
    else await pack(places.package);
    await flushDisk(places.package);
  }
  const facts = { version, keptAt: Date.now(), mark };
  await writeDurably(join(folder, 'kept.json'), `${JSON.stringify(facts)}\n`);
  return { ...facts, ...places };
}

/** Keeps the package that was just installed, for the next upgrade. Deletes superfluous earlier versions. */
export async function keepCurrent(
  file: string,
  { kind, mark }: { kind: PackageKind; mark: string },
): Promise<void> {
  await flushDisk(file);
  await rename(file, currentPackage(kind));
  await writeDurably(CURRENT, `${JSON.stringify({ mark })}\n`);
  const kept = await listKept();
  for (const version of superfluousVersions(kept)) await removeTree(join(STORE, version));
}

async function listKept(): Promise<KeptVersion[]> {
  const names = await readdir(STORE);
  const read = await Promise.all(names.map((name) => readJson(join(STORE, name, 'kept.json'), keptSchema)));
  return read.flatMap((facts) => facts ?? []);
}

async function readJson<T>(path: string, schema: z.ZodType<T>): Promise<T | null> {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}
