import { serviceRamMb } from '#shared/config/template.ts';
import { isPlaced, type NodeSnapshot, type ServiceSnapshot, type TemplateSnapshot } from './snapshot.ts';

/**
 * Returns the RAM that one more service of the template takes (MB): maxJvmMemory + 375
 * (docs/specification.md#jvm-memory).
 *
 * Example: maxJvmMemory 1024 → 1399.
 */
export function ramOf(template: TemplateSnapshot): number {
  return serviceRamMb(template.config);
}

/**
 * Returns the RAM allocated on a node (MB): all services placed there, stopping ones included.
 *
 * Example: two services of 1,399 MB → 2,798.
 */
export function allocatedMb(node: Pick<NodeSnapshot, 'id'>, services: readonly ServiceSnapshot[]): number {
  return services
    .filter((service) => isPlaced(service) && service.node === node.id)
    .reduce((sum, service) => sum + service.ramMb, 0);
}

/**
 * Returns the share of taken player slots in percent, not rounded; 0 if there are no slots. Multiplies before it
 * divides, because of rounding errors: 29 / 100 · 100 is 28.999999999999996, but 29 · 100 / 100 is 29.
 *
 * Example: 12 of 20 slots → 60.
 */
export function utilisationPercent(players: number, slots: number): number {
  return slots === 0 ? 0 : (players * 100) / slots;
}
