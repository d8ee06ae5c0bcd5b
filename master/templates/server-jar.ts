import type { FileEntry } from '#shared/config/template.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { SharedFiles } from './default-files/shared-files.ts';
import type { FolderState, ServerJarFacts } from './template-files.ts';

/** Where the `server.jar` of a service can come from. */
export interface ServerJarSources {
  readonly templates: { state(id: TemplateId): Pick<FolderState, 'usable'> };
  readonly sharedFiles: Pick<SharedFiles, 'serverJar'>;
}

/**
 * Returns what the `server.jar` states with which services of a template start. A jar from the shared files replaces
 * the template's own.
 */
export function serverJarOf(
  id: TemplateId,
  { defaultServiceFiles }: { readonly defaultServiceFiles: readonly FileEntry[] },
  { templates, sharedFiles }: ServerJarSources,
): ServerJarFacts {
  const { usable } = templates.state(id);
  return sharedFiles.serverJar(defaultServiceFiles) ?? usable ?? { software: null, needsJava: null };
}
