// Matches CSI sequences (ECMA-48 5.4), strings such as OSC up to BEL or ST, other escape sequences (ECMA-35 13.2:
// intermediate bytes and a final one), and single control characters except Tab. Includes the 8-bit controls,
// because some terminals treat U+009B as the start of a sequence.
/* eslint-disable no-control-regex -- matches control characters by design */
const ESCAPES =
  /\x1b\[([0-?]*)[ -/]*([@-~])|\x1b[P\]X^_][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]|[\x00-\x08\x0a-\x1f\x7f-\x9f]/g;
/** Matches control characters. Used as a quick check whether {@link ESCAPES} can match at all. */
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/;
/** Matches controls that move the cursor or erase text. */
const MOVES = /[\r\b]|\x1b\[[0-?]*[ -/]*[CDGJK]/;
/* eslint-enable no-control-regex */

/**
 * Matches the prompt of a server's console, `>` or `>....`, before a line or alone. JLine draws the prompt again
 * after each message and moves the cursor back; some servers never erase it.
 */
const PROMPT = /^(?:>(?:\.{4})? ?)+(?=\[?(?:\d{4}-\d\d-\d\d[ T])?\d\d:\d\d:\d\d|$)/;

/**
 * Sources of the patterns, for a program in another language. `controls` and `prompt` match what the program drops
 * from a line. `moves` matches controls that move the cursor or erase text. The patterns have the same meaning in
 * Python.
 */
export const ANSI_PATTERNS = { controls: ESCAPES.source, prompt: PROMPT.source, moves: MOVES.source };

/** Highest column to which a sequence can move the cursor beyond the end of the text. */
const MAX_BLANKS = 512;

/** A run of text in one style. */
export interface StyledText<Style> {
  readonly text: string;
  readonly style: Style;
}

/** Applies SGR parameters such as `1;31` to a style and returns the result. */
export type ApplySgr<Style> = (style: Style, parameters: string) => Style;

/**
 * Renders one line as a terminal would. Carriage returns, backspaces, cursor moves within the line and erase
 * sequences take effect. SGR sequences change the style. All other control sequences are dropped. Each line starts in
 * the initial style.
 */
export function renderLine<Style>(
  line: string,
  initial: Style,
  applySgr: ApplySgr<Style>,
): readonly StyledText<Style>[] {
  if (!CONTROL.test(line)) {
    const text = line.replace(PROMPT, '');
    return text === '' ? [] : [{ text, style: initial }];
  }
  const screen = new LineScreen(initial, applySgr);
  let from = 0;
  for (const match of line.matchAll(ESCAPES)) {
    screen.print(line.slice(from, match.index));
    screen.control(match[0], match[1] ?? '', match[2] ?? '');
    from = match.index + match[0].length;
  }
  screen.print(line.slice(from));
  return screen.toRuns();
}

/**
 * Returns the line in the form in which a person sees, searches and copies it: rendered, without colours.
 *
 * Example: `'10%\r55%\r100%'` → `'100%'`.
 */
export function stripAnsi(line: string): string {
  // A search processes whole logs. Therefore, only lines with cursor moves are rendered cell by cell.
  if (!MOVES.test(line)) return line.replace(ESCAPES, '').replace(PROMPT, '');
  return renderLine(line, null, (style) => style)
    .map(({ text }) => text)
    .join('');
}

/** The cells of one terminal line. */
class LineScreen<Style> {
  readonly #initial: Style;
  readonly #applySgr: ApplySgr<Style>;
  readonly #signs: string[] = [];
  readonly #styles: Style[] = [];
  #style: Style;
  #cursor = 0;

  constructor(initial: Style, applySgr: ApplySgr<Style>) {
    this.#initial = initial;
    this.#style = initial;
    this.#applySgr = applySgr;
  }

  print(text: string): void {
    for (const sign of text) {
      this.#blanksTo(this.#cursor);
      this.#signs[this.#cursor] = sign;
      this.#styles[this.#cursor] = this.#style;
      this.#cursor += 1;
    }
  }

  control(sequence: string, parameters: string, final: string): void {
    const first = Number(/^\d+/.exec(parameters)?.[0] ?? 0);
    if (final === 'm') this.#style = this.#applySgr(this.#style, parameters);
    else if (sequence === '\r') this.#cursor = 0;
    else if (sequence === '\b' || final === 'D') this.#moveTo(this.#cursor - Math.max(1, first));
    else if (final === 'C') this.#moveTo(this.#cursor + Math.max(1, first));
    else if (final === 'G') this.#moveTo(Math.max(1, first) - 1);
    else if (final === 'K' || final === 'J') this.#erase(first);
  }

  toRuns(): readonly StyledText<Style>[] {
    const hidden = PROMPT.exec(this.#signs.join(''))?.[0].length ?? 0;
    const runs: { text: string; style: Style }[] = [];
    for (const [at, sign] of this.#signs.entries()) {
      if (at < hidden) continue;
      const style = this.#styles[at] as Style;
      const last = runs.at(-1);
      if (last?.style === style) last.text += sign;
      else runs.push({ text: sign, style });
    }
    return runs;
  }

  #moveTo(column: number): void {
    this.#cursor = Math.min(Math.max(0, column), Math.max(this.#signs.length, MAX_BLANKS));
  }

  /**
   * Erases a part of the line. `what` 0: from the cursor to the end; 1: from the start to the cursor; 2: the whole
   * line.
   */
  #erase(what: number): void {
    if (what === 0 || what === 2) {
      const kept = what === 0 ? this.#cursor : 0;
      this.#signs.length = Math.min(this.#signs.length, kept);
      this.#styles.length = this.#signs.length;
    } else if (what === 1) {
      for (let at = 0; at <= this.#cursor && at < this.#signs.length; at += 1) {
        this.#signs[at] = ' ';
        this.#styles[at] = this.#initial;
      }
    }
  }

  #blanksTo(column: number): void {
    while (this.#signs.length < column) {
      this.#signs.push(' ');
      this.#styles.push(this.#initial);
    }
  }
}
