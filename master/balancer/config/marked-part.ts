import { lineEndOf, linesOf, type Line } from './lines.ts';

export const BEGIN = '# BEGIN OVERWORLD';
export const END = '# END OVERWORLD';

/** Result of the search for Overworld's section in a configuration. The rest of the file belongs to the admin. */
export type SectionSearch =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly section: Section }
  /**
   * The marks contradict each other, so it is unclear which part belongs to Overworld. `why` is the second half of
   * a sentence.
   */
  | { readonly kind: 'broken'; readonly why: string };

export interface Section {
  /** Text before the line of the first mark. */
  readonly before: string;
  /** Text between the lines of the marks. */
  readonly body: string;
  /** Text after the line of the second mark. */
  readonly after: string;
  /** Line numbers of the marks, from 1. */
  readonly from: number;
  readonly to: number;
  /** Line end of the first mark. */
  readonly lineEnd: string;
}

/**
 * Searches for the marks of Overworld's section. Returns `one` with the section between them, or `none` if there are
 * no marks. Each mark must be alone on its line. Returns `broken` with the reason if a mark is missing or repeated,
 * or if the marks are in the wrong order.
 */
export function findSection(text: string): SectionSearch {
  const lines = linesOf(text);
  const begins = lines.filter((line) => isMark(line, BEGIN));
  const ends = lines.filter((line) => isMark(line, END));
  const [begin, secondBegin] = begins;
  const [end, secondEnd] = ends;
  if (begin === undefined && end === undefined) return { kind: 'none' };
  if (begin === undefined) return broken(`line ${end?.number ?? 0} is "${END}" without "${BEGIN}" before it`);
  if (end === undefined) return broken(`line ${begin.number} is "${BEGIN}" without "${END}" after it`);
  if (secondBegin !== undefined || secondEnd !== undefined) {
    const [mark, numbers] = secondBegin === undefined ? [END, ends] : [BEGIN, begins];
    return broken(`"${mark}" appears in lines ${numbers.map(({ number }) => number).join(' and ')}`);
  }
  if (end.number < begin.number) {
    return broken(`"${END}" (line ${end.number}) comes before "${BEGIN}" (line ${begin.number})`);
  }
  const join = (some: readonly Line[]): string => some.map((line) => line.text + line.end).join('');
  return {
    kind: 'one',
    section: {
      before: join(lines.slice(0, begin.number - 1)),
      body: join(lines.slice(begin.number, end.number - 1)),
      after: join(lines.slice(end.number)),
      from: begin.number,
      to: end.number,
      lineEnd: begin.end,
    },
  };
}

/**
 * Returns the text with the given section in place of the current one. If there is no section, or if its marks are
 * broken, the section is added at the end. All other bytes stay the same, except that a missing line end of the last
 * line is added, because HAProxy requires it. The section gets the line ends of the file.
 *
 * Example: `global` with the line `backend overworld` → `global`, `# BEGIN OVERWORLD`, `backend overworld` and
 * `# END OVERWORLD`, one per line.
 *
 * @param lines lines of the section, without the marks
 */
export function withSection(text: string, lines: readonly string[]): string {
  const found = findSection(text);
  const end = found.kind === 'one' ? found.section.lineEnd : lineEndOf(text);
  const block = [BEGIN, ...lines, END].map((line) => line + end).join('');
  if (found.kind === 'one') return found.section.before + block + found.section.after;
  return `${text}${text === '' || text.endsWith('\n') ? '' : end}${block}`;
}

/**
 * Returns the text without Overworld's section and its marks; unchanged if it has no section or the marks are broken.
 */
export function withoutSection(text: string): string {
  const found = findSection(text);
  return found.kind === 'one' ? found.section.before + found.section.after : text;
}

function isMark(line: Line, mark: string): boolean {
  return line.text.trim() === mark;
}

function broken(why: string): SectionSearch {
  return { kind: 'broken', why };
}
