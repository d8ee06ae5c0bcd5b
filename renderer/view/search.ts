/** Cuts what was typed into words to look for, in lower case. */
export function toWords(typed: string): readonly string[] {
  return typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/**
 * Ranks a text for what was typed: 0 = no match; higher is better. Every word must occur; beginning of the text,
 * then beginning of a word, then anywhere. No words: everything matches alike.
 */
export function rank(text: string, words: readonly string[]): number {
  const low = text.toLowerCase();
  let total = 1;
  for (const word of words) {
    const at = low.indexOf(word);
    if (at === -1) return 0;
    total += at === 0 ? 4 : /[\s/._-]/.test(low[at - 1] ?? '') ? 3 : 1;
  }
  return total;
}

/** The best entries for what was typed, best first; equal ones in the given order. */
export function searchEntries<E extends { readonly label: string; readonly keywords?: string }>(
  entries: readonly E[],
  typed: string,
  limit: number,
): readonly E[] {
  const words = toWords(typed);
  return entries
    .map((entry) => ({ entry, rank: rank(`${entry.label} ${entry.keywords ?? ''}`, words) }))
    .filter((found) => found.rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .slice(0, limit)
    .map(({ entry }) => entry);
}
