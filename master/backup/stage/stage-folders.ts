import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { REVISION_FOLDERS, type RevisionFolder } from '../tree.ts';

/** Folders in which a backup collects its content. None of them exists before. */
export interface StageFolders {
  /** Folder of the stage, on the disk of `backup/`. */
  readonly stage: string;
  /**
   * Hard links are only possible within a disk. So each folder of revision stores that is on another disk than the
   * stage has a folder on its own disk here, for the hard links to its contents.
   */
  readonly onOwnDisk: ReadonlyMap<RevisionFolder, string>;
}

/**
 * Removes what killed backups have left, and returns the folders for a new backup.
 *
 * @throws errno errors, ENOENT if the folder `backup/` does not exist
 */
export async function freshStageFolders(dataFolder: string): Promise<StageFolders> {
  const folder = dataFolderAt(dataFolder);
  const stage = join(folder.backup, 'stage');
  // A name that begins with a dot is no name of a template.
  const inside = (name: RevisionFolder): string => join(folder[name], '.backup-stage');
  // A disk may have been mounted or unmounted since a backup was killed.
  await removeStage({ stage, onOwnDisk: new Map(REVISION_FOLDERS.map((name) => [name, inside(name)])) });
  // Until version 0.2.0, files were copied to this folder.
  await rm(join(folder.backup, 'incoming'), { recursive: true, force: true });
  const { dev } = await stat(folder.backup);
  const onOwnDisk = new Map<RevisionFolder, string>();
  for (const name of REVISION_FOLDERS) {
    const found = await stat(folder[name]).catch(() => null);
    if (found !== null && found.dev !== dev) onOwnDisk.set(name, inside(name));
  }
  return { stage, onOwnDisk };
}

/** Removes the folders of a backup with their content. @throws errno errors */
export async function removeStage({ stage, onOwnDisk }: StageFolders): Promise<void> {
  for (const folder of [stage, ...onOwnDisk.values()]) await rm(folder, { recursive: true, force: true });
}
