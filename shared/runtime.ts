/** Major version of Electron for which the app is built, as in package.json (docs/adr/0002). A test compares both. */
export const ELECTRON_MAJOR = 45;

/**
 * Returns whether a version of Electron is older than the version for which the app is built. Such a version is a
 * fallback: `npm start` uses it if the official version cannot be downloaded.
 *
 * @param version such as `33.2.1`
 */
export function isFallbackRuntime(version: string): boolean {
  return Number.parseInt(version, 10) < ELECTRON_MAJOR;
}

/**
 * Returns a note for people about a fallback version of Electron, such as
 * `old Electron 33.2.1 without security fixes`.
 */
export function fallbackWords(version: string): string {
  return `old Electron ${version} without security fixes`;
}
