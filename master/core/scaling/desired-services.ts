import { utilisationPercent } from '../snapshot/capacity.ts';
import type { SnapshotIndex } from '../snapshot/snapshot-index.ts';
import type { TemplateSnapshot } from '../snapshot/snapshot.ts';
import type { Counts } from '../snapshot/counts.ts';

/** Number of empty services that a template keeps ready, and the rule that requires them. */
export interface Spare {
  readonly count: number;
  readonly because: string;
}

/**
 * Returns how many empty services the template keeps ready: its minimum, and one more while the network has reached
 * `startNewServiceAtGlobalCapacity`. Returns 0 for a template that is being deleted.
 *
 * Example: minimum 2, global threshold 80 %, 82 of 100 players online → 3.
 */
export function computeSpare(
  { config, leaving }: TemplateSnapshot,
  { snapshot, players }: SnapshotIndex,
): Spare {
  if (leaving) return { count: 0, because: 'the template is being deleted' };
  const minimum = config.minimumRunningServers;
  const threshold = config.startNewServiceAtGlobalCapacity;
  const percent = utilisationPercent(players, snapshot.maxOnlinePlayers);
  if (threshold > 0 && percent >= threshold) {
    const numbers = `${players} of ${snapshot.maxOnlinePlayers} players on the network, ${Math.floor(percent)} % ≥ ${threshold} %`;
    return { count: minimum + 1, because: `startNewServiceAtGlobalCapacity: ${numbers}` };
  }
  return { count: minimum, because: `minimumRunningServers is ${minimum}` };
}

/**
 * Returns how many more services bring the load of the template below `startNewServiceAtTemplateCapacity` (percent).
 * Returns 0 if this setting is 0, if no player is online, or if the template is being deleted.
 *
 * Example: a threshold of 50 % and 12 players on 2 services of 10 slots (60 %) → 1, because a third service brings
 * the load down to 40 %.
 */
export function missingForCapacity(
  { config, leaving }: TemplateSnapshot,
  { players, slots }: Pick<Counts, 'players' | 'slots'>,
): number {
  const threshold = config.startNewServiceAtTemplateCapacity;
  if (threshold === 0 || players === 0 || leaving) return 0;
  // Smallest k with players / (slots + k · maxPlayers) < threshold / 100.
  const slotsNeeded = (players * 100) / threshold;
  return slots > slotsNeeded ? 0 : Math.floor((slotsNeeded - slots) / config.maxPlayers) + 1;
}

function capacityNumbers({ config }: TemplateSnapshot, { players, slots }: Counts): string {
  const percent = Math.floor(utilisationPercent(players, slots));
  return `${players} of ${slots} players, ${percent} % ≥ ${config.startNewServiceAtTemplateCapacity} %`;
}

/**
 * Returns how many more services the template needs. The rule for empty services and the rule for capacity each
 * request a number. The larger number applies; they are not added up.
 *
 * Example: a minimum of 2 with 1 ready service requires 1, the capacity rule requires 3 → 3.
 */
export function computeMissing(template: TemplateSnapshot, left: Counts, spare: Spare): number {
  return Math.max(missingForSpare(left, spare), missingForCapacity(template, left));
}

/**
 * Returns the rule that requires the most services, with its numbers, as text for the activity log.
 *
 * Example: `minimumRunningServers is 2; 1 ready, 0 starting`.
 */
export function whyMissing(template: TemplateSnapshot, left: Counts, spare: Spare): string {
  return missingForCapacity(template, left) > missingForSpare(left, spare)
    ? `startNewServiceAtTemplateCapacity: ${capacityNumbers(template, left)}`
    : `${spare.because}; ${left.ready} ready, ${left.onTheWay} starting`;
}

function missingForSpare({ ready, onTheWay }: Counts, { count }: Spare): number {
  return Math.max(0, count - ready - onTheWay);
}
