import type { Node } from '#shared/model/node.ts';
import type { Service } from '#shared/model/service.ts';
import type { Template } from '#shared/model/template.ts';
import { isUp } from '#shared/model/service.ts';
import { countPlayers } from './player.ts';

/** Compares names so that `node-2` comes before `node-10`. */
export const byName = new Intl.Collator('en', { numeric: true }).compare;

/** Sorts nodes by their RAM use, the fullest first. Nodes with equal use are sorted by name. */
export function byFullness(nodes: readonly Node[]): readonly Node[] {
  const share = ({ ram }: Node): number => (ram.totalMb === 0 ? 0 : ram.allocatedMb / ram.totalMb);
  return [...nodes].sort((a, b) => share(b) - share(a) || byName(a.id, b.id));
}

/** Figures of a template. */
export interface TemplateSummary {
  readonly template: Template;
  /** Number of services that are not stopping. */
  readonly online: number;
  readonly up: number;
  readonly players: number;
  /** Total number of player slots on the template's running services. */
  readonly room: number;
}

/**
 * Returns the figures of each template in the given order. Counts services that are not stopping. Counts players and
 * slots only on services that are up.
 */
export function summarizeTemplates(
  templates: readonly Template[],
  services: readonly Service[],
): readonly TemplateSummary[] {
  const byTemplate = new Map(
    templates.map((template) => [template.id, { template, online: 0, up: 0, players: 0, room: 0 }]),
  );
  for (const service of services) {
    const summary = byTemplate.get(service.template);
    if (summary === undefined || service.stopping !== null) continue;
    summary.online += 1;
    if (!isUp(service)) continue;
    summary.up += 1;
    summary.players += service.players.online;
    summary.room += service.players.max;
  }
  return [...byTemplate.values()];
}

/** Returns the allocated RAM and the total RAM of all nodes together (MB). */
export function sumRam(nodes: readonly Pick<Node, 'ram'>[]): { allocatedMb: number; totalMb: number } {
  return nodes.reduce(
    (sum, { ram }) => ({
      allocatedMb: sum.allocatedMb + ram.allocatedMb,
      totalMb: sum.totalMb + ram.totalMb,
    }),
    { allocatedMb: 0, totalMb: 0 },
  );
}

/**
 * Returns the number of players on each node. Omits nodes without players. Counts each player once (see
 * `countPlayers`).
 */
export function playersByNode(
  services: readonly Pick<Service, 'template' | 'node' | 'players'>[],
  proxies: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const used = new Map<string, Pick<Service, 'template' | 'players'>[]>();
  for (const service of services) {
    if (service.node === null || service.players.online === 0) continue;
    const here = used.get(service.node);
    if (here === undefined) used.set(service.node, [service]);
    else here.push(service);
  }
  return new Map([...used].map(([node, here]) => [node, countPlayers(here, proxies)]));
}
