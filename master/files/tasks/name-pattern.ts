import { fitsMask } from '#shared/text/mask.ts';

/**
 * Compiles a search pattern: a substring, or a mask for the whole name with `*` (any characters) and `?` (one
 * character). The time for one match grows at most with the product of the lengths of mask and name.
 *
 * Example: `namePattern('*.yml', true)` matches `bukkit.yml` and not `bukkit.yml.bak`; `namePattern('yml', true)`
 * matches both.
 *
 * @param pattern an empty pattern matches every name
 */
export function namePattern(pattern: string, caseSensitive: boolean): (name: string) => boolean {
  const fold = (text: string): string => (caseSensitive ? text : text.toLowerCase());
  const wanted = fold(pattern);
  if (!/[*?]/.test(wanted)) return (name) => fold(name).includes(wanted);
  const mask = Array.from(wanted);
  return (name) => fitsMask(Array.from(fold(name)), mask);
}
