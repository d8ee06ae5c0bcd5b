import { compareVersions } from './version-order.ts';

/** Form of the master's package. */
export type PackageKind = 'deb' | 'tar.gz';

/** Name of the master's package. */
export const PACKAGE = 'overworld-master';

/** Facts that a package states about itself. */
export interface PackageFacts {
  readonly kind: PackageKind;
  readonly name: string;
  readonly version: string;
  /** Architecture, by the name that Debian uses. */
  readonly arch: string;
}

/** The master that is installed on this machine. */
export type InstalledFacts = Pick<PackageFacts, 'kind' | 'version' | 'arch'>;

/**
 * Decides whether a package may replace the installed master.
 *
 * @returns why it may not, as the end of a sentence; null if it may
 */
export function whyRefused(
  offered: PackageFacts,
  installed: InstalledFacts,
  { allowDowngrade }: { readonly allowDowngrade: boolean },
): string | null {
  if (offered.name !== PACKAGE)
    return `it is the package ${offered.name || 'without a name'}, not ${PACKAGE}`;
  if (!/^\d[\w.+-]*$/.test(offered.version)) return `"${offered.version}" is not a version`;
  const otherKind = whyOtherKind(offered.kind, installed.kind);
  if (otherKind !== null) return otherKind;
  if (offered.arch !== installed.arch)
    return `it is for ${offered.arch}, but this machine is ${installed.arch}; use the package for ${installed.arch}`;
  if (!allowDowngrade && compareVersions(offered.version, installed.version) < 0)
    return `its version ${offered.version} is older than the installed version ${installed.version}; to install it nevertheless, add --allow-downgrade`;
  return null;
}

/** Returns why a package of this kind does not fit the installed master. Null if it fits. */
export function whyOtherKind(offered: PackageKind, installed: PackageKind): string | null {
  if (offered === installed) return null;
  return `it is a ${offered}, but the master of this machine was installed from a ${installed}; use the ${installed} of the same version`;
}

/** Determines the kind of a package from the first bytes of its file. Null if the file is neither kind of package. */
export function kindOf(firstBytes: Uint8Array): PackageKind | null {
  if (Buffer.from(firstBytes.subarray(0, 8)).toString('latin1') === '!<arch>\n') return 'deb';
  return firstBytes[0] === 0x1f && firstBytes[1] === 0x8b ? 'tar.gz' : null;
}
