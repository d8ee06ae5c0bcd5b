/** Major version of the Electron for which the app is made, as in package.json (docs/adr/0002). A test compares them. */
export const ELECTRON_MAJOR = 45;

/**
 * Returns whether an Electron is older than the one for which the app is made, such as the fallback that `npm start` uses
 * if the official one cannot be downloaded.
 *
 * @param version such as `33.2.1`
 */
export function isFallbackRuntime(version: string): boolean {
  return Number.parseInt(version, 10) < ELECTRON_MAJOR;
}

/** Returns what a person should know about a fallback, such as `old Electron 33.2.1 without security fixes`. */
export function fallbackWords(version: string): string {
  return `old Electron ${version} without security fixes`;
}
