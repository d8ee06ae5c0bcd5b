import type { Service, ServiceId } from '#shared/model/service.ts';
import { within } from '#shared/node/within.ts';
import { deletedDataWords, persistentCount } from '#shared/text/deleted-data.ts';
import { unsavableServices, unsavableWords } from '#shared/text/unsavable.ts';
import type { MasterClient } from '../../client.ts';

/**
 * Maximum time to wait for a fact that a command only prints (ms). A master that has just started reads the records
 * of all saves before it lists the volumes.
 */
const LIMIT_MS = 3_000;

const UNKNOWN = 'It is not known whether all data can be saved.';

/**
 * Asks the master about the data of its services. Returns a function that returns the sentences about the data of a
 * service that ends: what is deleted, and whether the rest can be saved. If the master does not answer within
 * `limitMs`, the sentences say that this is not known.
 */
export async function endingDataWords(
  master: MasterClient,
  limitMs = LIMIT_MS,
): Promise<(id: ServiceId) => string> {
  const [templates, volumes] = await Promise.all([
    known(master.call('templates.list', {}), limitMs),
    known(master.call('volumes.list', {}), limitMs),
  ]);
  return (id) => {
    const persistent = templates === null ? null : persistentCount([id], templates);
    if (volumes === null && persistent !== 0)
      return `${deletedDataWords({ count: 1, persistent: null })} ${UNKNOWN}`;
    const unsavable = unsavableServices([id], volumes ?? []);
    return deletedDataWords({ count: 1, persistent, unsavable });
  };
}

/**
 * Returns the sentences that say which of the services have data that cannot be saved now, and why. Empty if all data
 * can be saved. If the master does not answer within `limitMs`, the sentence says that this is not known.
 *
 * @param services null if the services are not known
 */
export async function failedSaveWords(
  master: MasterClient,
  services: readonly ServiceId[] | null,
  limitMs = LIMIT_MS,
): Promise<string> {
  if (services === null) return UNKNOWN;
  if (services.length === 0) return '';
  const volumes = await known(master.call('volumes.list', {}), limitMs);
  return volumes === null ? UNKNOWN : unsavableServices(services, volumes).map(unsavableWords).join(' ');
}

/** Returns the sentences of {@link failedSaveWords} for the services on a node. */
export async function failedSavesOn(master: MasterClient, id: string, limitMs = LIMIT_MS): Promise<string> {
  const services = await servicesWhere(master, ({ node }) => node === id, limitMs);
  return failedSaveWords(master, services, limitMs);
}

/** Returns the ids of the chosen services. Null if the master does not answer within `limitMs`. */
export async function servicesWhere(
  master: MasterClient,
  isChosen: (service: Service) => boolean,
  limitMs = LIMIT_MS,
): Promise<ServiceId[] | null> {
  const answer = await known(master.call('services.list', {}), limitMs);
  return answer?.services.filter(isChosen).map(({ id }) => id) ?? null;
}

/**
 * Returns a fact. Returns null if the fact is late, or if there is an error instead: no command may fail because of
 * what it only prints.
 */
function known<T>(fact: Promise<T>, limitMs: number): Promise<T | null> {
  return within(fact, limitMs).catch(() => null);
}
