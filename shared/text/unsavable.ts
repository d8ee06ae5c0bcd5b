import type { ServiceId } from '../model/service-id.ts';
import { serviceOfVolume, type Volume } from '../model/volume.ts';

/** A service whose data cannot be saved now. */
export interface UnsavableService {
  readonly service: ServiceId;
  /** Why the last save failed, and what to do, as one or more sentences. */
  readonly why: string;
}

/** Returns the services whose last save failed. If these services ended now, their data could not be saved. */
export function unsavableServices(
  services: readonly ServiceId[],
  volumes: readonly Pick<Volume, 'id' | 'problem'>[],
): UnsavableService[] {
  const ids = new Set(services);
  return volumes.flatMap(({ id, problem }) => {
    const service = serviceOfVolume(id);
    return problem !== null && ids.has(service) ? [{ service, why: problem }] : [];
  });
}

/**
 * Returns the sentences that say that the data of a service cannot be saved now, and why.
 *
 * Example: `survival-1 cannot be saved now. Volume survival/1 was not saved: …`
 */
export function unsavableWords({ service, why }: UnsavableService): string {
  return `${service} cannot be saved now. ${why}`;
}

/** Maximum number of services that a sentence names, and maximum number of reasons that are shown. */
const MOST = 3;

/** Sentences about services that end although the data of some of them cannot be saved. */
export interface UnsavableData {
  /** Names the services whose data cannot be saved, and says which data of the other services is deleted. */
  readonly deleted: string;
  /** Why the data cannot be saved, one entry for each reason; at most 3. */
  readonly reasons: readonly string[];
  /** Says what happens to the files that cannot be saved. */
  readonly kept: string;
}

/**
 * Returns sentences about services that end although the data of some of them cannot be saved.
 *
 * @param others the other services that end. `count`: their number. `persistent`: the number of other services that
 *   keep data in volumes, null if unknown
 */
export function unsavableData(
  unsavable: readonly UnsavableService[],
  others: { readonly count: number; readonly persistent: number | null },
): UnsavableData {
  const names = namesOf(unsavable);
  const reasons = [...new Set(unsavable.map(({ why }) => why))].slice(0, MOST);
  const one = unsavable.length === 1;
  const [whose, subject, verb] = one ? ['its', 'it', 'does'] : ['their', 'they', 'do'];
  const stay = `Until ${subject} can be saved, ${whose} files stay on ${whose} ${one ? 'node' : 'nodes'}, and ${subject} ${verb} not start again. After that, everything else ${subject} wrote is deleted.`;
  return others.count === 0
    ? { deleted: `${names} cannot be saved now.`, reasons, kept: stay }
    : { deleted: `${names} cannot be saved now. ${othersWords(others)}`, reasons, kept: `${names}: ${stay}` };
}

function othersWords({
  count,
  persistent,
}: {
  readonly count: number;
  readonly persistent: number | null;
}): string {
  const others = count === 1 ? 'the other service' : 'the other services';
  if (persistent === 0) return `Everything ${others} wrote is deleted, such as worlds and plugin data.`;
  if (persistent === null) return `Everything ${others} wrote outside of persistent paths is deleted.`;
  const saved = persistent === count ? others : `${persistent} of ${others}`;
  return `For ${saved}, the files at persistent paths are saved first. Everything else ${count === 1 ? 'it' : 'they'} wrote is deleted.`;
}

function namesOf(unsavable: readonly UnsavableService[]): string {
  const names = unsavable.map(({ service }) => service);
  if (names.length > MOST) return `${names.slice(0, MOST).join(', ')} and ${names.length - MOST} more`;
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}
