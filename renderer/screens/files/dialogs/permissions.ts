/** Permission classes with the position of their three bits. */
export const whose = [
  { word: 'Owner', shift: 6 },
  { word: 'Group', shift: 3 },
  { word: 'Others', shift: 0 },
] as const;

export const rights = [
  { word: 'Read', bit: 4 },
  { word: 'Write', bit: 2 },
  { word: 'Execute', bit: 1 },
] as const;

/** Formats permission bits in octal: `644`. */
export function toOctal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(3, '0');
}

/** Parses `644` or `0644`. Undefined if invalid. */
export function parseOctal(text: string): number | undefined {
  return /^0?[0-7]{3}$/.test(text.trim()) ? Number.parseInt(text.trim(), 8) : undefined;
}

/** Returns the permission bits that all entries have. If the entries differ, returns the bits of the first entry. */
export function commonMode(modes: readonly number[]): { readonly mode: number; readonly differ: boolean } {
  const [first = 0o644] = modes;
  return { mode: first & 0o777, differ: modes.some((mode) => (mode & 0o777) !== (first & 0o777)) };
}
