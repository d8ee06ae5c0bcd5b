import type { Node } from '#shared/model/node.ts';
import type { Service } from '#shared/model/service.ts';
import type { Template } from '#shared/model/template.ts';
import { isUp } from '#shared/model/service.ts';

/** `node-2` before `node-10`. */
export const byName = new Intl.Collator('en', { numeric: true }).compare;

/** The fullest node first; equal ones by name. */
export function byFullness(nodes: readonly Node[]): readonly Node[] {
  const share = ({ ram }: Node): number => (ram.totalMb === 0 ? 0 : ram.allocatedMb / ram.totalMb);
  return [...nodes].sort((a, b) => share(b) - share(a) || byName(a.id, b.id));
}

/** A template in numbers. */
export interface TemplateSummary {
  readonly template: Template;
  /** Services not stopping. */
  readonly online: number;
  readonly up: number;
  readonly players: number;
  /** Room for players on what is up. */
  readonly room: number;
}

/** Numbers of each template, in the order given. */
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

/** RAM of all nodes together, MB. */
export function sumRam(nodes: readonly Pick<Node, 'ram'>[]): { allocatedMb: number; totalMb: number } {
  return nodes.reduce(
    (sum, { ram }) => ({
      allocatedMb: sum.allocatedMb + ram.allocatedMb,
      totalMb: sum.totalMb + ram.totalMb,
    }),
    { allocatedMb: 0, totalMb: 0 },
  );
}

/** Players on each node that has any. */
export function playersByNode(
  services: readonly Pick<Service, 'node' | 'players'>[],
): ReadonlyMap<string, number> {
  const players = new Map<string, number>();
  for (const {
    node,
    players: { online },
  } of services) {
    if (node !== null && online > 0) players.set(node, (players.get(node) ?? 0) + online);
  }
  return players;
}
