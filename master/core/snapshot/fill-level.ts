import type { TemplateConfig } from '#shared/config/template.ts';

/** Fill level of a service whose template has no threshold (percent of its player slots). */
const DEFAULT_FILL_PERCENT = 80;

/**
 * Returns the number of players from which a service counts as filled, so that new players go to other services of
 * its template first; at least 1. This is the share `startNewServiceAtTemplateCapacity` (percent) of its slots, or 80
 * % if that setting is 0. The rule that starts new services and the rule that distributes players thus agree on when
 * a service is filled.
 *
 * Example: 50 slots and no threshold → 40.
 *
 * @param maxPlayers slots that the service has now
 */
export function fillLevel(
  { startNewServiceAtTemplateCapacity: own }: Pick<TemplateConfig, 'startNewServiceAtTemplateCapacity'>,
  maxPlayers: number,
): number {
  const percent = own === 0 ? DEFAULT_FILL_PERCENT : own;
  return Math.max(1, Math.ceil((maxPlayers * percent) / 100));
}
