import type { MasterConfig } from './master.ts';

/**
 * Returns the locations in which nodes are ordered, the preferred one first (docs/specification.md#provider).
 *
 * Example: `location` nbg1, `locations` fsn1 and nbg1 → nbg1, fsn1.
 */
export function orderLocations({
  location,
  locations,
}: Pick<MasterConfig['provider'], 'location' | 'locations'>): string[] {
  return [...new Set([location, ...locations])];
}
