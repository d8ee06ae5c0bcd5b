/** Maximum number of paths that the braces of a glob can stand for. */
export const MAX_ALTERNATIVES = 32;

/**
 * Returns the globs without braces that a glob with braces stands for. Undefined if there are more than
 * {@link MAX_ALTERNATIVES}.
 *
 * Example: `{nether,end}/*.dat` → `nether/*.dat`, `end/*.dat`. Braces without a comma stand for themselves.
 */
export function expandBraces(glob: string): readonly string[] | undefined {
  const all = expand(glob);
  return all.length > MAX_ALTERNATIVES ? undefined : all;
}

/**
 * Splits a typed list of globs at line ends, tabs, semicolons and commas. A comma inside braces is part of its glob.
 *
 * Example: `world_{nether,the_end}/,plugins/` → `world_{nether,the_end}/`, `plugins/`.
 */
export function splitGlobs(list: string): readonly string[] {
  return list.split(/[;\r\n\t]/).flatMap(splitAtCommas);
}

/** Returns whether a glob has a brace without its counterpart. {@link expandBraces} takes such a brace literally. */
export function hasUnbalancedBraces(glob: string): boolean {
  let depth = 0;
  for (const character of glob) {
    depth += braceStep(character);
    if (depth < 0) return true;
  }
  return depth > 0;
}

/**
 * Returns the source of a regular expression for a glob without braces. The expression matches each path that the
 * glob matches, and everything in the folders that the glob matches. A match begins at the start of the path, and
 * ends before a slash or at the end of the path.
 *
 * In the glob:
 *
 * - `*` stands for any characters within a name, `?` for one character, `[a-c]` for one of these characters, `[!a-c]`
 *   for one other character
 * - `**` as a whole name stands for any number of folders
 *
 * The expression has the same meaning in JavaScript (flags `s` and `u`) and in Python (flag `DOTALL`). The run time
 * is proportional to the length of the path times the length of the glob. To achieve this, the first match after a
 * star is final, because a later match cannot change the result. Both languages know the notation `(?=(…))\1` for a
 * final match.
 *
 * @param firstGroup number of the first capturing group
 * @returns the source, and the number of the next group
 */
export function pathPattern(
  glob: string,
  firstGroup: number,
): { readonly source: string; readonly nextGroup: number } {
  let group = firstGroup;
  /**
   * Returns a pattern for which the first match of the inner pattern is final: no other match of the inner pattern is
   * tried.
   */
  const once = (inner: () => string): string => {
    const number = group++;
    return `(?=(${inner()}))\\${number}`;
  };
  const nameSource = (name: string): string => {
    const [first = '', ...rest] = partsOf(name);
    const last = rest.pop();
    if (last === undefined) return `${first}${NAME_END}`;
    return `${first}${rest.map((part) => once(() => `[^/]*?${part}`)).join('')}[^/]*${last}${NAME_END}`;
  };
  const namesSource = (names: readonly string[]): string => names.map(nameSource).join('/');

  const [first = [], ...chunks] = chunksOf(glob);
  let source = namesSource(first);
  for (const chunk of chunks.filter((names) => names.length > 0)) {
    source += `${source === '' ? '' : '/'}${once(() => `(?:[^/]+/)*?${namesSource(chunk)}`)}`;
  }
  return { source, nextGroup: group };
}

/** Matches before a slash and at the end of the path. `$` would also match before a line end in Python. */
const NAME_END = '(?![^/])';

/** Splits a glob into chunks at each `**`, and each chunk into its names. */
function chunksOf(glob: string): string[][] {
  const chunks: string[][] = [[]];
  for (const name of glob.split('/')) {
    if (name === '**') chunks.push([]);
    else if (name !== '') chunks.at(-1)?.push(name);
  }
  return chunks;
}

/** Splits a name at its stars, and returns the source of a regular expression for each part. */
function partsOf(name: string): string[] {
  const characters = Array.from(name);
  const parts = [''];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? '';
    if (character === '*') {
      if (parts.length === 1 || parts.at(-1) !== '') parts.push('');
      continue;
    }
    const end = character === '[' ? characters.indexOf(']', at + 2) : -1;
    const source =
      end >= 0 ? classSource(characters.slice(at + 1, end)) : character === '?' ? '[^/]' : escape(character);
    if (end >= 0) at = end;
    parts.push(`${parts.pop() ?? ''}${source}`);
  }
  return parts;
}

/** Returns the source of a regular expression for a character class such as `a-c` or `!a`. */
function classSource(characters: readonly string[]): string {
  const isNegated = characters.length > 1 && (characters[0] === '!' || characters[0] === '^');
  const rest = isNegated ? characters.slice(1) : characters;
  let source = '';
  for (let at = 0; at < rest.length; at += 1) {
    const [from = '', dash, to] = rest.slice(at, at + 3);
    const isRange =
      dash === '-' && to !== undefined && (from.codePointAt(0) ?? 0) <= (to.codePointAt(0) ?? 0);
    source += isRange ? `${escape(from)}-${escape(to)}` : escape(from);
    if (isRange) at += 2;
  }
  return isNegated ? `[^/${source}]` : `[${source}]`;
}

function escape(character: string): string {
  // In JavaScript's Unicode mode, `\-` is an error outside of a class.
  if (character === '-') return '\\x2d';
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}

/** Expands the braces of a glob. Stops after one more glob than allowed. */
function expand(glob: string): string[] {
  const open = glob.indexOf('{');
  const close = open < 0 ? -1 : closingBrace(glob, open);
  if (close < 0) return [glob];
  const alternatives = splitAtCommas(glob.slice(open + 1, close));
  const before = glob.slice(0, open);
  const after = expand(glob.slice(close + 1));
  const inside = alternatives.length === 1 ? [`{${alternatives[0] ?? ''}}`] : alternatives.flatMap(expand);
  const all: string[] = [];
  for (const one of inside)
    for (const rest of after) {
      all.push(`${before}${one}${rest}`);
      if (all.length > MAX_ALTERNATIVES) return all;
    }
  return all;
}

function closingBrace(glob: string, open: number): number {
  let depth = 0;
  for (let at = open; at < glob.length; at += 1) {
    depth += braceStep(glob[at]);
    if (depth === 0) return at;
  }
  return -1;
}

/** Returns the change of the depth of braces at a character. */
function braceStep(character: string | undefined): number {
  return character === '{' ? 1 : character === '}' ? -1 : 0;
}

function splitAtCommas(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if (character === ',' && depth === 0) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${character}`);
    depth = Math.max(0, depth + braceStep(character));
  }
  return parts;
}
