import { z } from 'zod';
import { fitsMask } from '../../text/mask.ts';
import { normalize } from '../../text/remote-path.ts';
import { templateInView, viewOf, type FileViewName } from '../file-views.ts';
import { isTemplateId } from '../template-id.ts';

/**
 * A template id, or a mask for ids: `*` stands for any characters, `?` for one
 * (docs/master-config.md#templates-of-a-key).
 */
export const templateMaskSchema = z
  .string()
  .regex(/^[a-z0-9*?-]{1,64}$/, 'must be a template id; * and ? stand for other characters');

/**
 * The templates that a key is for, as ids and masks. A key without a limit is for all templates and for the network
 * as a whole. An empty list is not valid, because it could be mistaken for "all templates" or "no templates".
 */
export const templateLimitSchema = z.array(templateMaskSchema).min(1).max(64);

/** Limit of a key; null for a key without a limit. */
export type TemplateLimit = readonly string[] | null;

/** Number of masks that messages name. */
const MAX_NAMED = 5;

/** Returns whether a limit includes a template. A name that is not a valid template id is in no limit. */
export function includesTemplate(limit: TemplateLimit, id: string): boolean {
  if (limit === null) return true;
  const name = Array.from(id);
  return isTemplateId(id) && limit.some((mask) => fitsMask(name, Array.from(mask)));
}

/**
 * Returns whether a limit includes a path of the master's file area. Every limit includes the root, and the folders
 * in the root that have one subfolder for each template or service. In these folders, clients see only the subfolders
 * of the included templates. A limit also includes everything that belongs to an included template. No limit includes
 * shared files, because all templates use them.
 */
export function includesPath(limit: TemplateLimit, path: string): boolean {
  if (limit === null) return true;
  const clean = normalize(path);
  const [area, name] = clean.split('/').slice(1);
  if (area === '') return true;
  const view = viewOf(clean);
  if (view !== null) return name === undefined || includesView(limit, view, name);
  return area === 'templates' && (name === undefined || includesTemplate(limit, name));
}

/** Returns whether a limit includes a folder at the top of a view, such as the folder of a service. */
export function includesView(limit: TemplateLimit, view: FileViewName, name: string): boolean {
  if (limit === null) return true;
  const template = templateInView(view, name);
  return template !== null && includesTemplate(limit, template);
}

/** Returns a limit in words, for example `lobby, bedwars*`. */
export function limitWords(limit: readonly string[]): string {
  const more = limit.length - MAX_NAMED;
  return limit.slice(0, MAX_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Returns why a key with this limit cannot do something, for the window and for the error of an SFTP client. */
export function limitRefusal(limit: readonly string[]): string {
  const isOne = limit.length === 1 && limit.every(isTemplateId);
  return `Your key is only for the ${isOne ? 'template' : 'templates'} ${limitWords(limit)}`;
}
