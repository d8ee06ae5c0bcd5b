import type { AuthorizedKey } from '#shared/model/access/role.ts';
import { includesTemplate } from '#shared/model/access/template-limit.ts';

/**
 * Returns a warning for each entry of a key's template limit that matches no template, because it may be a typing
 * mistake.
 *
 * @param templates ids of all templates
 */
export function keyWarnings(
  keys: readonly Pick<AuthorizedKey, 'name' | 'templates'>[],
  templates: readonly string[],
): readonly string[] {
  return keys.flatMap(({ name, templates: limit }) =>
    (limit ?? [])
      .filter((mask) => !templates.some((id) => includesTemplate([mask], id)))
      .map((mask) => `The key ${name} is for "${mask}", but no template matches it.`),
  );
}
