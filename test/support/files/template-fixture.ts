import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openTemplateFolders, type TemplateFoldersOptions } from '#master/templates/template-folders.ts';
import type { FolderState, TemplateFolders } from '#master/templates/template-files.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { waitFor } from '../wait-for.ts';

/** Folders for the templates of a test and their revisions. */
export interface TemplatePlace {
  readonly root: string;
  readonly revisions: string;
}

export function templatePlace(): TemplatePlace {
  const folder = temporaryFolder();
  return { root: join(folder, 'templates'), revisions: join(folder, 'revisions') };
}

/**
 * Opens the template folders. After a short time without changes, the files become a new revision. Closes the folders
 * when the test ends.
 */
export async function openTemplates(
  where: TemplatePlace,
  more: Partial<TemplateFoldersOptions> = {},
): Promise<TemplateFolders> {
  const folders = await openTemplateFolders({ ...where, quietMs: 150, ...more });
  onTestFinished(() => folders.close());
  return folders;
}

/** Waits until the template `lobby` has a new revision that differs from `before`, and returns its state. */
export function settled(folders: TemplateFolders, before?: string | null): Promise<FolderState> {
  return waitFor(() => {
    const state = folders.state('lobby');
    return !state.changing && state.revision !== before ? state : null;
  });
}

/**
 * Writes files into the folder of the template `lobby`.
 *
 * @returns the folder
 */
export async function writeTemplate(
  where: TemplatePlace,
  files: Record<string, string> = {},
): Promise<string> {
  const folder = join(where.root, 'lobby');
  await mkdir(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}
