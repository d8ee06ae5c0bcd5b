import type { ConfigStore } from '#master/store/config-store.ts';
import type { SharedFiles } from '#master/templates/default-files/shared-files.ts';
import type { TemplateFolders } from '#master/templates/template-files.ts';
import type { Overrides } from '../overrides/overrides.ts';

/** What admins define: settings, templates and their files, and overrides (such as a pause) of the automation. */
export interface Documents {
  readonly config: ConfigStore;
  readonly templates: TemplateFolders;
  readonly overrides: Overrides;
  readonly sharedFiles: Pick<SharedFiles, 'folder' | 'fingerprint' | 'serverJar' | 'read' | 'onChange'>;
}
