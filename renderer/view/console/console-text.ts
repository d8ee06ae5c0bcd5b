import { stripAnsi } from '#shared/text/ansi.ts';

const plains = new WeakMap<object, string>();

/** A console line as a person reads it; made once per line. */
export function toPlain(line: { readonly text: string }): string {
  const known = plains.get(line);
  if (known !== undefined) return known;
  const plain = stripAnsi(line.text);
  plains.set(line, plain);
  return plain;
}

/** A time at the begin of a line, as servers write it: `[12:34:56 INFO]`, `12:34:56 [INFO]`, `[2026-01-02 12:34:56]`. */
const OWN_TIME = /^.{0,14}?\b(\d{2}:\d{2}:\d{2})\b/;

/** The time that a line tells itself; null when it tells none. */
export function ownTime(line: { readonly text: string }): string | null {
  return OWN_TIME.exec(toPlain(line))?.[1] ?? null;
}

/** `18:04:09` of a moment, on this computer's clock. */
export function toClock(atMs: number): string {
  const date = new Date(atMs);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

/** Columns of a time and the blank behind it. */
export const TIME_COLUMNS = 9;

/** What stands before a line while times are shown: when it came, where it does not say itself. As wide for every line. */
export function toTimePrefix(line: { readonly text: string; readonly at: number | null }): string {
  if (ownTime(line) !== null) return '';
  return line.at === null ? ' '.repeat(TIME_COLUMNS) : `${toClock(line.at)} `;
}

/** Where a text occurs in lines: their indexes. Empty text occurs nowhere. */
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

/** A line cut into pieces at each place where a text occurs. */
export function markHits(
  plain: string,
  text: string,
  caseSensitive: boolean,
): readonly { readonly text: string; readonly marked: boolean }[] {
  const [inside, wanted] = caseSensitive ? [plain, text] : [plain.toLowerCase(), text.toLowerCase()];
  // Lower case of another length (as of İ) has no places to mark in the line itself.
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

/** Mojang's 3–16 letters, digits and underscores; Floodgate puts a sign before the names of Bedrock players. */
const NAME = String.raw`([.*+]?\w{3,16})`;
/** Join lines of game servers, Velocity, and BungeeCord with its forks, which wrote the name before the address until 2020. */
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

/** The player whose joining a line reports; null for other lines. */
export function joinedPlayer(line: { readonly text: string }): string | null {
  const groups: readonly (string | undefined)[] = JOINED.exec(toPlain(line))?.slice(1) ?? [];
  return groups.find((name) => name !== undefined) ?? null;
}
