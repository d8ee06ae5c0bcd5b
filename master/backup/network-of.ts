import { join } from 'node:path';
import { z } from 'zod';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { openJsonFile } from '#master/store/json-file.ts';
import { networkName } from './repository/repository.ts';

/** Name of a network that has no id yet, because no master has run with its data folder. */
export const NEW_NETWORK = networkName('new');

/**
 * Returns the name under which the network in a data folder is backed up.
 *
 * @throws OverworldError DATA_FAULTY
 */
export async function networkOf(dataFolder: string): Promise<string> {
  const path = join(dataFolderAt(dataFolder).config, 'cluster.json');
  const file = await openJsonFile(path, z.object({ id: z.string() }).nullable(), null);
  return file.data === null ? NEW_NETWORK : networkName(file.data.id);
}
