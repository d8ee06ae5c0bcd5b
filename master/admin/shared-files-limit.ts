import { templateConfigSchema, type FileEntry } from '#shared/config/template.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { KeyRights } from '#shared/model/access/role.ts';
import { limitWords } from '#shared/model/access/template-limit.ts';

/**
 * Checks that a key with a template limit does not add shared files to a template. Such a key may not read shared
 * files, but could read them in a service of the template (docs/adr/0042). A document that is not valid passes,
 * because it cannot be saved anyway.
 *
 * @param before entries of the template so far; empty for a new template
 * @throws OverworldError FORBIDDEN
 */
export function refuseFurtherSharedFiles(
  method: 'templates.create' | 'templates.createAll' | 'templates.update',
  { role, templates }: KeyRights,
  { before, document }: { readonly before: readonly FileEntry[]; readonly document: unknown },
): void {
  if (templates === null) return;
  const known = new Set(before.map(({ path }) => path));
  const added = templateConfigSchema
    .safeParse(document)
    .data?.defaultServiceFiles.find(({ path }) => !known.has(path));
  if (added === undefined) return;
  const needs = `a key for the shared file ${added.path}, and yours is only for ${limitWords(templates)}`;
  throw new OverworldError('FORBIDDEN', { method, role, needs });
}
