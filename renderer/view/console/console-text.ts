import { stripAnsi } from '#shared/text/ansi.ts';

const plains = new WeakMap<object, string>();

/** Returns a console line without escape sequences. Cached per line. */
export function toPlain(line: { readonly text: string }): string {
  const known = plains.get(line);
  if (known !== undefined) return known;
  const plain = stripAnsi(line.text);
  plains.set(line, plain);
  return plain;
}

/**
 * Matches the time at the start of a server's line: `[12:34:56 INFO]`, `12:34:56 [INFO]`, `[2026-01-02 12:34:56]`.
 */
const OWN_TIME = /^.{0,14}?\b(\d{2}:\d{2}:\d{2})\b/;

/** Returns the time of day at the start of a line, such as `12:34:56`. Null if there is none. */
export function ownTime(line: { readonly text: string }): string | null {
  return OWN_TIME.exec(toPlain(line))?.[1] ?? null;
}

/** Returns a time of day on this computer's clock: `18:04:09`. */
export function toClock(atMs: number): string {
  const date = new Date(atMs);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

/** Number of columns of a time and the space after it. */
export const TIME_COLUMNS = 9;

/**
 * Returns the prefix of a line while times are shown: the line's time of arrival, or blanks of the same width if this
 * time is unknown. Empty if the line itself contains a time.
 */
export function toTimePrefix(line: { readonly text: string; readonly at: number | null }): string {
  if (ownTime(line) !== null) return '';
  return line.at === null ? ' '.repeat(TIME_COLUMNS) : `${toClock(line.at)} `;
}

/** Returns the indexes of the lines that contain a text. Empty text matches no line. */
export function findLines(
  lines: readonly { readonly text: string }[],
  text: string,
  caseSensitive: boolean,
): readonly number[] {
  if (text === '') return [];
  const wanted = caseSensitive ? text : text.toLowerCase();
  const hits: number[] = [];
  for (const [index, line] of lines.entries()) {
    const plain = toPlain(line);
    if ((caseSensitive ? plain : plain.toLowerCase()).includes(wanted)) hits.push(index);
  }
  return hits;
}

/** Splits a line into pieces at each occurrence of a text. */
export function markHits(
  plain: string,
  text: string,
  caseSensitive: boolean,
): readonly { readonly text: string; readonly marked: boolean }[] {
  const [inside, wanted] = caseSensitive ? [plain, text] : [plain.toLowerCase(), text.toLowerCase()];
  // Some letters, such as İ, have another length in lower case. Positions in the two texts then differ, so nothing is
  // marked.
  if (text === '' || inside.length !== plain.length) return [{ text: plain, marked: false }];
  const pieces: { text: string; marked: boolean }[] = [];
  let from = 0;
  for (let at = inside.indexOf(wanted); at !== -1; at = inside.indexOf(wanted, from)) {
    if (at > from) pieces.push({ text: plain.slice(from, at), marked: false });
    pieces.push({ text: plain.slice(at, at + wanted.length), marked: true });
    from = at + wanted.length;
  }
  if (from < plain.length) pieces.push({ text: plain.slice(from), marked: false });
  return pieces;
}

/** A player's name: 3 to 16 letters, digits and underscores. Floodgate adds a prefix to names of Bedrock players. */
const NAME = String.raw`([.*+]?\w{3,16})`;
/**
 * Matches join messages of game servers, of Velocity, and of BungeeCord with its forks. Until 2020, BungeeCord wrote
 * the name before the address.
 */
const JOINED = new RegExp(
  [
    String.raw`(?<!\S)${NAME}(?: \(formerly known as [^)]*\))? joined the game`,
    String.raw`(?<!\S)${NAME}\[/[^ ]*\] logged in`,
    String.raw`\[connected player\] ${NAME} \([^)]*\) has connected`,
    String.raw`\[server connection\] ${NAME} -> \S+ has connected`,
    String.raw`\[/[^ |]*\|${NAME}\] <-> (?:InitialHandler|ServerConnector \[[^\]]*\]) has connected`,
    String.raw`\[${NAME}(?:[|,][^ ]*)?\] <-> (?:InitialHandler|ServerConnector \[[^\]]*\]) has connected`,
  ].join('|'),
);

/** Returns the name of the player in a join message. Null if the line is not a join message. */
export function joinedPlayer(line: { readonly text: string }): string | null {
  const groups: readonly (string | undefined)[] = JOINED.exec(toPlain(line))?.slice(1) ?? [];
  return groups.find((name) => name !== undefined) ?? null;
}
