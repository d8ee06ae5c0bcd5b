/** What a service's own properties say, whatever its template's file holds. docs/specification.md#maxplayers `maxPlayers`; docs/adr/0020 (`templates`). */
export interface ServerProperties {
  readonly port: number;
  readonly maxPlayers: number;
  /** Who players are is checked by a proxy: `online-mode=false`. Otherwise that key is left as it is. */
  readonly offline: boolean;
}

/** Where a game server has its settings. */
export const SERVER_PROPERTIES = 'server.properties';

/** One line as Java's `Properties` counts them: with its continuation lines and its line end, byte for byte. */
interface LogicalLine {
  readonly text: string;
  /** Without escapes; null for comments and blank lines. */
  readonly key: string | null;
}

/**
 * Sets port and player limit in the text of a `server.properties`, and `query.port` where it is there (UDP, so that two
 * servers of a node do not want the same). Every other line, the order, comments, line ends and a missing last line end
 * stay byte for byte; of a key that occurs more than once all are set, as Java takes the last. Proxies get the keys too:
 * they ignore the file, and a plugin may read it.
 *
 * Own code, as the editor of `properties-file` 5.0.7 changes other lines: it turns mixed line ends into one kind and
 * joins key and value of a line without a separator.
 *
 * @param text latin1 or any other encoding in which ASCII is itself; empty for a file that does not exist yet
 * @returns the new text; the same text again when it is put in once more
 */
export function withServerProperties(text: string, properties: ServerProperties): string {
  const wanted = new Map([
    ['server-port', String(properties.port)],
    ['max-players', String(properties.maxPlayers)],
  ]);
  if (properties.offline) wanted.set('online-mode', 'false');
  const missing = new Set(wanted.keys());
  wanted.set('query.port', String(properties.port));
  const lines = splitLogicalLines(text).map(({ text: line, key }) => {
    const value = key === null ? undefined : wanted.get(key);
    if (key === null || value === undefined) return line;
    missing.delete(key);
    return `${key}=${value}${lineEndOf(line)}`;
  });
  const end = /\r\n|\r|\n/.exec(text)?.[0] ?? '\n';
  if (text === '') lines.push(`${author([...missing])}${end}`);
  if (missing.size > 0) closeLastLine(lines, end);
  for (const key of missing) lines.push(`${key}=${wanted.get(key) ?? ''}${end}`);
  return lines.join('');
}

/**
 * The value of a key, as Java reads it but with its escapes; of a key that occurs more than once the last. Null when the
 * text does not have the key.
 */
export function readServerProperty(text: string, wanted: string): string | null {
  const line = splitLogicalLines(text).findLast(({ key }) => key === wanted);
  if (line === undefined) return null;
  const { joined, rawKey } = readKey(line.text);
  return joined
    .slice(rawKey.length)
    .replace(/^[ \t\f]*[=:]?[ \t\f]*/, '')
    .trim();
}

function author(keys: readonly string[]): string {
  const names = `${keys.slice(0, -1).join(', ')} and ${keys.at(-1) ?? ''}`;
  return `# Made by Overworld: ${names} are set anew at each start of a service.`;
}

/** What is appended must start a line of its own: not after an unfinished line, nor after a `\\` that would swallow it. */
function closeLastLine(lines: string[], end: string): void {
  const last = lines.at(-1);
  if (last === undefined) return;
  const lastEnd = lineEndOf(last);
  const open = !isComment(last) && continues(last.slice(0, last.length - lastEnd.length));
  if (lastEnd === '') lines.push(open ? end + end : end);
  // A lone CR and our LF would melt into one line end.
  else if (open) lines.push(lastEnd === '\r' ? '\r' : end);
}

function splitLogicalLines(text: string): LogicalLine[] {
  const natural = text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
  const lines: LogicalLine[] = [];
  let open = '';
  for (const line of natural) {
    open += line;
    const first = open === line;
    const ends =
      first && isComment(line) ? true : !continues(line.slice(0, line.length - lineEndOf(line).length));
    if (!ends) continue;
    lines.push({ text: open, key: keyOf(open) });
    open = '';
  }
  if (open !== '') lines.push({ text: open, key: keyOf(open) });
  return lines;
}

function lineEndOf(line: string): string {
  return /(?:\r\n|\r|\n)$/.exec(line)?.[0] ?? '';
}

function isComment(line: string): boolean {
  return /^[ \t\f]*(?:[#!]|[\r\n]*$)/.test(line);
}

/** An odd number of backslashes at its end: the next line belongs to it. */
function continues(line: string): boolean {
  // No pattern: one would begin anew at each backslash of a line that is full of them.
  let count = 0;
  while (line.at(-1 - count) === '\\') count += 1;
  return count % 2 === 1;
}

/** The key as Java reads it: up to the first unescaped `=`, `:` or white space, continuation lines joined. */
function keyOf(line: string): string | null {
  if (isComment(line)) return null;
  return readKey(line).rawKey.replace(
    /\\(?:u([0-9A-Fa-f]{4})|([^]))/g,
    (_, hex: string | undefined, char: string) =>
      hex === undefined
        ? ({ t: '\t', n: '\n', r: '\r', f: '\f' }[char] ?? char)
        : String.fromCharCode(parseInt(hex, 16)),
  );
}

/** The line in one piece, and its key with escapes. */
function readKey(line: string): { readonly joined: string; readonly rawKey: string } {
  const joined = line.replace(/(?<!\\)((?:\\\\)*)\\(?:\r\n|\r|\n)[ \t\f]*/g, '$1').replace(/^[ \t\f]+/, '');
  return { joined, rawKey: /^(?:\\[^]|[^\\=: \t\f\r\n])*/.exec(joined)?.[0] ?? '' };
}
