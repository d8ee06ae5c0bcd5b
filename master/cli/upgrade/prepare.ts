import { existsSync } from 'node:fs';
import { copyFile, open, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { copyForCheck, dataBytes } from './data-copy.ts';
import { kindOf, whyOtherKind, whyRefused } from './decide/acceptance.ts';
import { judgeMistakes, newMistakes } from './decide/check-findings.ts';
import { findShortage, type SpaceNeed } from './decide/disk-space.ts';
import { compareVersions } from './decide/version-order.ts';
import { readManifest } from './packages/manifest.ts';
import type { OpenedPackage } from './packages/packaging.ts';
import { PROGRAM, STORE, WORK } from './places.ts';
import { checkWith } from './program-check.ts';
import { openStore, removeWork } from './store.ts';
import type { UpgradeTarget } from './target.ts';
import { failureReason } from './failure-reason.ts';

/** The upgrade that a person requests. */
export interface UpgradeOrder {
  /** Absolute path of the package. */
  readonly file: string;
  readonly allowDowngrade: boolean;
}

/** A package that may replace the installed version. */
export interface UpgradeCandidate extends OpenedPackage {
  /** Path of a copy of the package that only root can change. */
  readonly file: string;
}

/**
 * Reads a package and decides whether it may replace the installed version. Changes nothing except the store and the
 * folder into which packages are unpacked.
 *
 * @throws OverworldError UPGRADE_REFUSED
 */
export async function verify(
  { file, allowDowngrade }: UpgradeOrder,
  target: UpgradeTarget,
): Promise<UpgradeCandidate> {
  const { packaging, installed } = target;
  const kind = kindOf(await firstBytes(file));
  if (kind === null) throw refused(file, 'it is neither a deb nor a tar.gz');
  const otherKind = whyOtherKind(kind, installed.kind);
  if (otherKind !== null) throw refused(file, otherKind);
  // An interrupted upgrade may have left several hundred megabytes.
  await removeWork(packaging);
  const shortage = findShortage(await spaceNeeds(file, target));
  if (shortage !== null) throw refused(file, shortage);
  await openStore();
  const copy = join(WORK, `package.${kind}`);
  await copyFile(file, copy);
  const opened = await packaging.open(copy).catch((error: unknown) => {
    throw refused(file, `it is damaged or not a package of the master: ${failureReason(error)}`);
  });
  const why = whyRefused(opened.facts, installed, { allowDowngrade });
  if (why !== null) throw refused(file, why);
  return { ...opened, file: copy };
}

/**
 * Waits while another program installs packages, because the package could then neither be installed nor removed.
 *
 * @throws OverworldError UPGRADE_REFUSED if it takes too long
 */
export async function untilInstallable({ file }: UpgradeOrder, { packaging }: UpgradeTarget): Promise<void> {
  await packaging.untilFree().catch((error: unknown) => {
    throw refused(file, `it cannot be installed now: ${failureReason(error)}`);
  });
}

/** Result of a check that the new version has passed. */
interface PassedCheck {
  /** Version that the new program states. */
  readonly version: string;
  /** Paths of the settings that an older program does not know and ignores. */
  readonly ignored: readonly string[];
}

/**
 * Lets the new version read a copy of the data, as the master's user.
 *
 * @throws OverworldError UPGRADE_REFUSED if the new version does not run, or cannot read data that the installed
 *   version can read
 */
export async function check(
  { file }: UpgradeOrder,
  candidate: UpgradeCandidate,
  target: UpgradeTarget,
): Promise<PassedCheck> {
  const { as, data, hasData } = target;
  const { program, facts } = candidate;
  const run = [join(program, 'index.js'), '--version'];
  const stated = await as.must(join(program, 'bin', 'node'), run).catch((error: unknown) => {
    throw refused(file, `its program does not run on this machine: ${failureReason(error)}`);
  });
  const version = stated.trim();
  if (!hasData) return { version, ignored: [] };
  const copy = join(WORK, 'data');
  await copyForCheck(data, copy, as);
  // An installation that was interrupted cannot check anything.
  const ofInstalled = await checkWith(PROGRAM, copy, as).catch(() => []);
  const ofNewer = await checkWith(program, copy, as).catch((error: unknown) => {
    throw refused(file, failureReason(error));
  });
  // The files of an interrupted upgrade may be in place. Their version has written the data.
  const installed = await readManifest(PROGRAM).catch(() => target.installed);
  const isOlder = compareVersions(version, installed.version) < 0;
  const { refused: mistake, ignored } = judgeMistakes(newMistakes(ofNewer, ofInstalled), { isOlder });
  if (mistake !== null) {
    const why = `version ${facts.version} cannot use ${mistake.file} of this master: ${mistake.problem}`;
    throw refused(file, failureReason(new Error(why)));
  }
  return { version, ignored };
}

async function spaceNeeds(file: string, { packaging, data, hasData }: UpgradeTarget): Promise<SpaceNeed[]> {
  const unpacked = await packaging.unpackedBytes(file).catch((error: unknown) => {
    throw refused(file, `it is damaged or not a package of the master: ${failureReason(error)}`);
  });
  const dataSize = hasData ? await dataBytes(data) : 0;
  const { size } = await stat(file);
  return Promise.all([
    // The packages of the new and the installed version, and two copies of the data: for the check, and for a return
    // to the old version.
    needAt(STORE, 2 * size + 2 * dataSize),
    needAt(packaging.unpackFolder, unpacked),
    // While dpkg installs, the files of both versions exist.
    needAt(PROGRAM, packaging.kind === 'deb' ? unpacked : 0),
  ]);
}

async function needAt(path: string, bytes: number): Promise<SpaceNeed> {
  let folder = path;
  while (!existsSync(folder)) folder = dirname(folder);
  const [{ dev }, { bavail, bsize }] = await Promise.all([stat(folder), statfs(folder)]);
  return { folder, device: dev, free: bavail * bsize, bytes };
}

async function firstBytes(path: string): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(8), 0, 8, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function refused(file: string, why: string): OverworldError {
  return new OverworldError('UPGRADE_REFUSED', { file, why });
}
