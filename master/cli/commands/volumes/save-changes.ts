import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, toOverworldError } from '#shared/errors/overworld-error.ts';
import { isTemplateId } from '#shared/model/template-id.ts';
import { volumeIdSchema, type VolumeId } from '#shared/model/volume.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { withMaster } from '../../client.ts';
import { orInterrupted } from '../../machine/until-signal.ts';

interface SaveOptions {
  /** Whether to leave changes unsaved while a client is still writing them. If false, the client's upload fails. */
  readonly unlessOpen?: boolean;
  /** Ends the wait for the save. The master still completes the save. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Lets the running master make a save of the changes that people have made in a volume over SFTP. Does nothing if
 * there are no changes.
 *
 * @throws OverworldError MASTER_NOT_RUNNING; VOLUME_CHANGES_UNUSABLE and others, as documented for `volumes.save`; an
 *   Error if the wait was interrupted
 */
export async function saveChanges(
  dataFolder: string,
  id: VolumeId,
  { unlessOpen = false, signal }: SaveOptions = {},
): Promise<void> {
  if (!existsSync(join(dataFolderAt(dataFolder).workingCopies, id))) return;
  const params = unlessOpen ? { id, unlessOpen } : { id };
  try {
    await withMaster(dataFolder, (master) => orInterrupted(master.call('volumes.save', params), signal));
  } catch (error) {
    // The changes have become a save since the check.
    if (!hasCode(error, 'VOLUME_NOT_ATTACHED')) throw error;
  }
}

/**
 * Does the same as {@link saveChanges} for all volumes with changes, so that a backup contains the changes. Skips
 * volumes to which a client is still writing, so that a backup interrupts no upload.
 *
 * @param signal ends the wait
 * @returns a remark about each volume whose changes could not be saved
 * @throws Error if the wait was interrupted; errno errors
 */
export async function saveAllChanges(dataFolder: string, signal?: AbortSignal): Promise<string[]> {
  const remarks: string[] = [];
  for (const id of await volumesIn(dataFolderAt(dataFolder).workingCopies)) {
    try {
      await saveChanges(dataFolder, id, { unlessOpen: true, signal });
    } catch (error) {
      if (signal?.aborted === true) throw error;
      const why = toOverworldError(error).message;
      remarks.push(
        `Volume ${id} has changes over SFTP that are not a save yet, and not in the backup: ${why}`,
      );
    }
  }
  return remarks;
}

async function volumesIn(folder: string): Promise<VolumeId[]> {
  const ids: VolumeId[] = [];
  for (const template of (await namesIn(folder)).filter(isTemplateId))
    for (const number of await namesIn(join(folder, template))) {
      const id = volumeIdSchema.safeParse(`${template}/${number}`);
      if (id.success) ids.push(id.data);
    }
  return ids;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}
