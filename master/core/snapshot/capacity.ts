import { serviceRamMb, type TemplateConfig } from '#shared/config/template.ts';
import { isPlaced, type NodeSnapshot, type ServiceSnapshot, type TemplateSnapshot } from './snapshot.ts';

/** RAM one more service of the template takes, MB (docs/specification.md#jvm-memory: maxJvmMemory + 375). */
export function ramOf(template: TemplateSnapshot): number {
  return serviceRamMb(template.config);
}

/** RAM allocated on a node, MB: all services placed there, also those that are stopping. */
export function allocatedMb(node: Pick<NodeSnapshot, 'id'>, services: readonly ServiceSnapshot[]): number {
  return services
    .filter((service) => isPlaced(service) && service.node === node.id)
    .reduce((sum, service) => sum + service.ramMb, 0);
}

/**
 * Share of taken player slots in percent, not rounded; 0 when there are no slots. Multiplied first: 29 of 100 are 29 %, where
 * 29 / 100 · 100 would be 28.999999999999996.
 */
export function utilisationPercent(players: number, slots: number): number {
  return slots === 0 ? 0 : (players * 100) / slots;
}

/** Share of its places to which a service is filled when its template names none, percent. */
const DEFAULT_FILL_PERCENT = 80;

/**
 * Players from which on a service counts as filled: new players go to others of its kind first. The template's own
 * `startNewServiceAtTemplateCapacity`, so that both rules agree on when a service is full enough; else 80 %.
 *
 * Example: 50 places and no threshold → 40.
 *
 * @param maxPlayers places that the service has now
 */
export function fillLevel(
  { startNewServiceAtTemplateCapacity: own }: Pick<TemplateConfig, 'startNewServiceAtTemplateCapacity'>,
  maxPlayers: number,
): number {
  const percent = own === 0 ? DEFAULT_FILL_PERCENT : own;
  return Math.max(1, Math.ceil((maxPlayers * percent) / 100));
}
