/**
 * Returns a time (ms since epoch) as a name of a file or folder, in UTC.
 *
 * Example: `2026-11-28_02.52.24`.
 */
export function timeName(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', '_').replaceAll(':', '.');
}
