/** Splits typed text into lower-case words. */
export function toWords(typed: string): readonly string[] {
  return typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/**
 * Minimum length of a word for a loose match: the letters of the word occur in the text in the same order, but not
 * next to each other.
 */
const SHORTEST_LOOSE = 3;

/**
 * Returns how well a text matches the typed words. 0 means no match; a higher number is a better match. Every word
 * must match. A match ranks highest at the start of the text, then at the start of a word, then anywhere in the text.
 * It ranks lowest if only the letters occur in the same order ("cfg" in "configuration").
 *
 * @param low the text in lower case
 */
export function rank(low: string, words: readonly string[]): number {
  let total = 1;
  for (const word of words) {
    const points = pointsOf(low, word);
    if (points === 0) return 0;
    total += points;
  }
  return total;
}

function pointsOf(low: string, word: string): number {
  let at = low.indexOf(word);
  if (at === 0) return low.length === word.length ? 20 : 12;
  const first = at;
  for (; at !== -1; at = low.indexOf(word, at + 1)) if (isSeparator(low.charCodeAt(at - 1))) return 8;
  if (first !== -1) return 4;
  return word.length >= SHORTEST_LOOSE && hasInOrder(low, word) ? 1 : 0;
}

/** Returns whether a character separates words: space, `/`, `.`, `_`, `-`, `:`. */
function isSeparator(code: number): boolean {
  return code === 32 || code === 47 || code === 46 || code === 95 || code === 45 || code === 58;
}

function hasInOrder(low: string, word: string): boolean {
  let at = -1;
  for (const letter of word) {
    at = low.indexOf(letter, at + 1);
    if (at === -1) return false;
  }
  return true;
}

/** An object that can be found by words. */
export interface Searchable {
  readonly id: string;
  readonly label: string;
  /** Further words by which the object is found. They are not shown. */
  readonly keywords?: string | undefined;
}

/**
 * An action that can be applied to many objects. A person finds it by its own words together with the words of an
 * object.
 */
export interface SearchableVerb<E extends Searchable> {
  /** Words by which the action is found, such as "Stop". */
  readonly words: string;
  /** Ids of the objects that the action applies to. */
  readonly objects: readonly string[];
  readonly toEntry: (object: string) => E;
}

interface Space<E extends Searchable> {
  readonly entries: readonly E[];
  readonly verbs: readonly SearchableVerb<E>[];
  /**
   * Ids of the entries that were chosen last, newest first. They come first among equal matches, and while nothing is
   * typed.
   */
  readonly recent: readonly string[];
}

/**
 * Points that are added for a recent choice. They are not more than the difference between two kinds of matches. So a
 * recent choice never gets more points than a match of a better kind.
 */
const RECENT_POINTS = 3;

/**
 * Returns at most `limit` matches, best first. Equal matches keep the order of the lists. An action is considered
 * only if one of its words starts with a typed word. Without this rule, ten actions on 5,000 objects would slow down
 * every other search. Without typed words, returns the recently used entries and then the others.
 */
export function searchAll<E extends Searchable>(space: Space<E>, typed: string, limit: number): readonly E[] {
  const words = toWords(typed);
  const { entries, verbs, recent } = space;
  if (words.length === 0) {
    const first = recent.flatMap((id) => entries.find((entry) => entry.id === id) ?? []);
    return [...first, ...entries.filter(({ id }) => !recent.includes(id))].slice(0, limit);
  }
  const found: { readonly points: number; readonly entry: () => E; readonly id?: string }[] = [];
  for (const entry of entries) {
    const points = rank(textOf(entry), words);
    if (points > 0) found.push({ points: points + lately(entry.id), entry: () => entry });
  }
  for (const verb of verbs) {
    const rest = withoutVerb(verb.words, words);
    if (rest === null) continue;
    for (const object of verb.objects) {
      const points = rank(object.toLowerCase(), rest);
      // A word of the action gives one point less than the start of a word in an entry, so that entries come first.
      const deed = 7 * (words.length - rest.length);
      if (points > 0) found.push({ points: points + deed, entry: () => verb.toEntry(object) });
    }
  }
  // The sort is stable: equal matches keep the order of the lists.
  return found
    .sort((a, b) => b.points - a.points)
    .slice(0, limit)
    .map(({ entry }) => entry());

  function lately(id: string): number {
    return recent.includes(id) ? RECENT_POINTS : 0;
  }
}

/**
 * Returns the typed words that are not the start of a word of the verb. Null if no typed word starts a word of the
 * verb.
 */
function withoutVerb(verb: string, words: readonly string[]): readonly string[] | null {
  const parts = verb.toLowerCase().split(' ');
  const rest = words.filter((word) => word.length < 2 || !parts.some((part) => part.startsWith(word)));
  return rest.length === words.length ? null : rest;
}

const texts = new WeakMap<object, string>();

/** Returns label and keywords in lower case. Cached per entry. */
function textOf(entry: Searchable): string {
  const known = texts.get(entry);
  if (known !== undefined) return known;
  const text = `${entry.label} ${entry.keywords ?? ''}`.trim().toLowerCase();
  texts.set(entry, text);
  return text;
}
