import type { ServiceId } from '#shared/model/service.ts';
import { deletedDataWords, persistentCount } from '#shared/text/deleted-data.ts';
import { unsavableServices, unsavableWords } from '#shared/text/unsavable.ts';
import type { MasterClient } from '../../client.ts';

/**
 * Returns the sentences about the data of a service that ends: what is deleted, and whether the rest can be saved.
 *
 * @throws OverworldError errors of the connection
 */
export async function endingDataWords(master: MasterClient, id: ServiceId): Promise<string> {
  const templates = await master.call('templates.list', {});
  const volumes = await master.call('volumes.list', {});
  const unsavable = unsavableServices([id], volumes);
  return deletedDataWords({ count: 1, persistent: persistentCount([id], templates), unsavable });
}

/**
 * Returns the sentences that say which of the services have data that cannot be saved now, and why. Empty if all data
 * can be saved.
 *
 * @throws OverworldError errors of the connection
 */
export async function failedSaveWords(master: MasterClient, services: readonly ServiceId[]): Promise<string> {
  const unsavable = unsavableServices(services, await master.call('volumes.list', {}));
  return unsavable.map(unsavableWords).join(' ');
}

/**
 * Returns the sentences of {@link failedSaveWords} for the services on a node.
 *
 * @throws OverworldError errors of the connection
 */
export async function failedSavesOn(master: MasterClient, node: string): Promise<string> {
  const { services } = await master.call('services.list', {});
  const here = services.filter((service) => service.node === node).map(({ id }) => id);
  return failedSaveWords(master, here);
}
