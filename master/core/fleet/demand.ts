import type { TemplateId } from '#shared/model/template.ts';
import { ramOf } from '../snapshot/capacity.ts';
import type { ScaledTemplate } from '../scaling/scaling.ts';
import type { SnapshotIndex } from '../snapshot/snapshot-index.ts';
import { isOpen } from '../placement/node-capacities.ts';
import { backoffOf } from '../placement/node-backoff.ts';
import { isStoppingForRestart, type ServiceSnapshot, type TemplateSnapshot } from '../snapshot/snapshot.ts';
import { withoutService, type Counts } from '../snapshot/counts.ts';
import { computeMissing } from '../scaling/desired-services.ts';

/** A requested service that has no node yet, with the RAM that it needs. */
export interface PendingService {
  readonly template: TemplateId;
  readonly ramMb: number;
}

/**
 * Returns the services that are being stopped for a restart and cannot start again on their current node. They will
 * need room on another node.
 */
export function replacedByRestart(index: SnapshotIndex): PendingService[] {
  const { snapshot } = index;
  const restarting = snapshot.services.filter(
    (one) => isStoppingForRestart(one) && one.staysStopped !== true,
  );
  if (restarting.length === 0) return [];
  const templates = new Map(snapshot.templates.map((template) => [template.id, template]));
  return restarting.filter((service) => {
    const template = templates.get(service.template);
    const own = service.node === null ? undefined : index.node(service.node);
    if (template === undefined || own === undefined) return false;
    // A service on a lost node restarts elsewhere. A service that is deleted with its template never restarts.
    const leaving = index.leaving(service);
    if (leaving !== null && leaving !== 'lost') return false;
    const isClosed = backoffOf(own, template.id, snapshot.now) !== null;
    return isClosed || !isOpen(own) || !(own.hasJava || template.bringsJava);
  });
}

/** Calculates how many services each template would need if some of its services were removed. */
export class Demand {
  readonly #templates: ReadonlyMap<TemplateId, TemplateSnapshot>;
  /** Counts of the services that remain, by template. The counts shrink with each node that is released. */
  readonly #left: Map<TemplateId, ScaledTemplate>;

  constructor(templates: readonly TemplateSnapshot[], settled: ReadonlyMap<TemplateId, ScaledTemplate>) {
    this.#templates = new Map(templates.map((template) => [template.id, template]));
    this.#left = new Map(settled);
  }

  /**
   * Returns the services that would have to start on other nodes if a node with the given services were released.
   * Each given service has one replacement. There are more replacements if the scaling rules would then request more
   * services, for example because `maxPlayers` was lowered since the services started. A replacement takes the RAM of
   * its service, but at least the RAM that its template requests now.
   */
  replacements(services: readonly ServiceSnapshot[]): PendingService[] {
    const moved = services.map(({ template, ramMb }) => {
      const now = this.#templates.get(template);
      return { template, ramMb: now === undefined ? ramMb : Math.max(ramMb, ramOf(now)) };
    });
    return [...moved, ...[...byTemplate(services)].flatMap(([id, leaving]) => this.#extra(id, leaving))];
  }

  /**
   * Subtracts services from the counts of their templates. Later calls of {@link replacements} then calculate without
   * them.
   */
  give(services: readonly ServiceSnapshot[]): void {
    for (const [id, leaving] of byTemplate(services)) {
      const settled = this.#left.get(id);
      if (settled !== undefined) this.#left.set(id, { ...settled, left: leftWithout(leaving, settled.left) });
    }
  }

  #extra(id: TemplateId, leaving: readonly ServiceSnapshot[]): PendingService[] {
    const [template, settled] = [this.#templates.get(id), this.#left.get(id)];
    if (template === undefined || settled === undefined) return [];
    const count = computeMissing(template, leftWithout(leaving, settled.left), settled.spare);
    const more = Math.max(0, count - leaving.length);
    return Array.from({ length: more }, () => ({ template: id, ramMb: ramOf(template) }));
  }
}

/**
 * Returns the counts without these services. Their players still count, because they then need slots on other
 * services.
 */
function leftWithout(services: readonly ServiceSnapshot[], left: Counts): Counts {
  const others = services.reduce((counts, service) => withoutService(service, counts), left);
  return { ...others, players: left.players };
}

function byTemplate(services: readonly ServiceSnapshot[]): Map<TemplateId, ServiceSnapshot[]> {
  const groups = new Map<TemplateId, ServiceSnapshot[]>();
  for (const service of services) {
    const group = groups.get(service.template);
    if (group === undefined) groups.set(service.template, [service]);
    else group.push(service);
  }
  return groups;
}
