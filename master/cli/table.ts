/**
 * Lays rows out in columns, two spaces apart; numbers to the right. Control characters, which could repaint a
 * terminal, become dots.
 *
 * @returns lines joined by line breaks; the heading alone when there are no rows
 */
export function formatTable(
  heading: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const numeric = heading.map(
    (_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'),
  );
  const cells = [heading, ...rows].map((row) => row.map((cell) => printable(String(cell))));
  const widths = heading.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
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

/** Pairs as aligned lines, `name  value`. */
export function formatPairs(pairs: readonly (readonly [string, string | number])[]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${printable(String(value))}`).join('\n');
}

/** A moment as people read it: `2025-03-01 12:30`, UTC. */
export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** A text from elsewhere as it may stand on a terminal: control characters and changes of writing direction become dots. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '·');
}
