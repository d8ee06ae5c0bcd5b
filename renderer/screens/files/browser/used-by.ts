import type { Service } from '#shared/model/service.ts';
import type { Template } from '#shared/model/template.ts';
import { SHARED_FILES, templateOf } from '../paths.ts';

/** The services that have a copy of a file or folder of the master. */
export interface Users {
  /** Templates whose services receive the file or folder. */
  readonly templates: readonly Template[];
  /** Started services of those templates. */
  readonly running: readonly Service[];
  /** The started services that use older files or values. */
  readonly outdated: readonly Service[];
}

/**
 * Returns the users of a file or folder of the master: the services of its template, or of the templates that list
 * it as a default file.
 */
export function usersOf(
  path: string,
  { templates, services }: { readonly templates: readonly Template[]; readonly services: readonly Service[] },
): Users {
  const users = templates.filter((template) => uses(template, path));
  const ids = new Set(users.map(({ id }) => id));
  const running = services.filter(({ template, state }) => ids.has(template) && state !== 'REQUESTED');
  return { templates: users, running, outdated: running.filter(({ outdated }) => outdated.length > 0) };
}

function uses({ id, config }: Template, path: string): boolean {
  if (templateOf(path) === id) return true;
  if (path !== SHARED_FILES && !path.startsWith(`${SHARED_FILES}/`)) return false;
  const inside = path.slice(SHARED_FILES.length + 1);
  return config.defaultServiceFiles.some(({ path: source }) => {
    const named = source.replace(/^\/+|\/+$/g, '');
    return named === '' || inside === '' || contains(named, inside) || contains(inside, named);
  });
}

function contains(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
