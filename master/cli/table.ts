const MB = 2 ** 20;

/**
 * Formats rows as columns with two spaces between them. Numbers are right-aligned. Control characters are replaced
 * with dots, because they could change the terminal's settings.
 *
 * @returns lines joined by line breaks; only the heading if there are no rows
 */
export function formatTable(
  heading: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const numeric = heading.map(
    (_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'),
  );
  const cells = [heading, ...rows].map((row) => row.map((cell) => printable(String(cell))));
  // Not Math.max with all cells as arguments: the number of arguments is limited to some 120,000.
  const widths = heading.map((_, column) =>
    cells.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  );
  return cells
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return numeric[column] === true ? cell.padStart(width) : cell.padEnd(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Formats pairs as aligned lines, `name value`. */
export function formatPairs(pairs: readonly (readonly [string, string | number])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${printable(String(value))}`).join('\n');
}

/** Formats a size in MB, where 1 MB is 2^20 bytes. Example: `inMb(1_500_000)` is `1.4 MB`. */
export function inMb(bytes: number): string {
  return `${(bytes / MB).toFixed(1)} MB`;
}

/**
 * Formats a time (ms since epoch) for people, in UTC and to the minute.
 *
 * Example: `2025-03-01 12:30 UTC`.
 */
export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/**
 * Formats a time (ms since epoch) for people, in UTC and to the second. The result does not contain `UTC`, so that
 * the column's heading must contain it.
 *
 * Example: `2025-03-01 12:30:05`.
 */
export function formatSeconds(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

/**
 * Replaces control characters and changes of writing direction with dots, so that a text from an unknown source can
 * be printed safely on a terminal.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '·');
}
