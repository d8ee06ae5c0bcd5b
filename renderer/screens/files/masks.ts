/**
 * Whether a name fits what a person typed: part of it in any case, or a mask for the whole (`*.yml`, `world?`). Several
 * masks stand apart by commas or semicolons. Nothing typed fits everything.
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
