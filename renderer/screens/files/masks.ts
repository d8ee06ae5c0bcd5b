/**
 * Returns a predicate for typed text: part of a name in any case, or masks for the whole name (`*.yml`, `world?`),
 * separated by commas or semicolons. Empty text matches everything.
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
