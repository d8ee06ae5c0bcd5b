/**
 * Returns a function that tells whether a name matches a typed text. The text is a part of a name in any case, or a
 * list of masks for the whole name (`*.yml`, `world?`), separated by commas or semicolons. An empty text matches
 * every name.
 */
export function matcherOf(typed: string): (name: string) => boolean {
  const wanted = typed.trim().toLowerCase();
  if (wanted === '') return () => true;
  const patterns = wanted
    .split(/[,;]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => (/[*?]/.test(part) ? maskOf(part) : part));
  return (name) => {
    const lower = name.toLowerCase();
    return patterns.some((pattern) =>
      typeof pattern === 'string' ? lower.includes(pattern) : pattern.test(lower),
    );
  };
}

function maskOf(mask: string): RegExp {
  const source = mask
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 'su');
}
