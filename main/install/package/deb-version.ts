/**
 * Returns the version of the Debian package for a version of the project. Debian sorts `1.0.0~rc.1` before `1.0.0`,
 * as semver sorts `1.0.0-rc.1`.
 *
 * @param version semver
 */
export function debVersion(version: string): string {
  return version.replace('-', '~').replaceAll('-', '.');
}

/**
 * Returns the file name of the master's Debian package.
 *
 * @param arch Debian's name of an architecture
 */
export function packageName(version: string, arch: string): string {
  return `overworld-master_${debVersion(version)}_${arch}.deb`;
}
