/** Returns a generated page with its title and the note for editors. */
export function page(title: string, lines: readonly string[]): string {
  return [
    `# ${title}`,
    '',
    '<!-- Made by build/scripts/docs.ts; change the code, then run it. -->',
    '',
    ...lines,
    '',
  ].join('\n');
}

/** Formats rows as a Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeCell).join(' | ')} |`;
  return [line(head), `| ${head.map(() => '---').join(' | ')} |`, ...rows.map(line)].join('\n');
}

function escapeCell(text: string): string {
  return text
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replace(/`[^`]*`/g, (code) => code.replaceAll('&lt;', '<'));
}
