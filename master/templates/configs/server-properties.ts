/**
 * Values for `server.properties` that override the template's file. See docs/specification.md#maxplayers and
 * docs/adr/0020.
 */
export interface ServerProperties {
  readonly port: number;
  readonly maxPlayers: number;
  /** Value for `online-mode`; null if that key stays unchanged. */
  readonly onlineMode: string | null;
}

/** Name of a game server's settings file. */
export const SERVER_PROPERTIES = 'server.properties';

/** A line as defined by Java's `Properties`, with its continuation lines and its line end, byte for byte. */
interface LogicalLine {
  readonly text: string;
  /** Unescaped key; null for comments and blank lines. */
  readonly key: string | null;
}

/**
 * Sets the given values in the text of a `server.properties`. An existing `query.port` is set as well, because it is
 * a UDP port and two servers of a node must not share it. Everything else stays the same byte for byte: other lines,
 * their sequence, comments, line ends and a missing last line end. If a key occurs more than once, all occurrences
 * are set, because Java uses the last. Proxies get the keys, too: they ignore the file, but a plugin may read it.
 *
 * The editor of `properties-file` 5.0.7 is not used because it changes other lines: it unifies mixed line ends and
 * joins key and value of a line without a separator.
 *
 * Example: with port 25570 and 20 players, `server-port=25565\n` becomes `server-port=25570\nmax-players=20\n`.
 *
 * @param text latin1 or another superset of ASCII; empty for a file that does not exist yet
 * @returns the new text; applying the function to it changes nothing
 */
export function withServerProperties(text: string, properties: ServerProperties): string {
  const wanted = new Map([
    ['server-port', String(properties.port)],
    ['max-players', String(properties.maxPlayers)],
  ]);
  if (properties.onlineMode !== null) wanted.set('online-mode', properties.onlineMode);
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
 * Returns the value of a key as Java reads it, but without resolving escapes. If the key occurs more than once, the
 * last value counts. Returns null if the key does not exist.
 *
 * Example: `readServerProperty('max-players = 20', 'max-players')` is `20`.
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
  return `# Created by Overworld: ${names} are set at each start of a service.`;
}

/**
 * Ensures that appended text starts on a new line. The last line may have no line end, or a trailing backslash that
 * would join it with the next line.
 */
function closeLastLine(lines: string[], end: string): void {
  const last = lines.at(-1);
  if (last === undefined) return;
  const lastEnd = lineEndOf(last);
  const open = !isComment(last) && continues(last.slice(0, last.length - lastEnd.length));
  if (lastEnd === '') lines.push(open ? end + end : end);
  // A CR is followed by another CR, because a CR and an LF would be read as a single line end.
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

/** Returns whether a line continues on the next line, because it ends in an odd number of backslashes. */
function continues(line: string): boolean {
  // Counted in a loop, because a regular expression would be quadratic on a line full of backslashes.
  let count = 0;
  while (line.at(-1 - count) === '\\') count += 1;
  return count % 2 === 1;
}

/**
 * Returns the key of a line as Java reads it: up to the first unescaped `=`, `:` or white space, with continuation
 * lines joined. Returns null for comments and blank lines.
 */
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

/** Returns the line with its continuation lines joined, and its key with escapes. */
function readKey(line: string): { readonly joined: string; readonly rawKey: string } {
  const joined = line.replace(/(?<!\\)((?:\\\\)*)\\(?:\r\n|\r|\n)[ \t\f]*/g, '$1').replace(/^[ \t\f]+/, '');
  return { joined, rawKey: /^(?:\\[^]|[^\\=: \t\f\r\n])*/.exec(joined)?.[0] ?? '' };
}
