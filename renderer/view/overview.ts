import type { Node } from '#shared/model/node.ts';
import type { Service } from '#shared/model/service.ts';
import type { Template } from '#shared/model/template.ts';
import { isUp } from '#shared/model/service.ts';
import type { Hue } from '../ui/hue.ts';
import { needsHand, stateWords, toShownState, toTroubleWords, toWhy } from './service.ts';

/** Services in trouble for one reason: the first of them, and how many more. */
export interface TroubleGroup {
  readonly service: Service;
  readonly others: number;
}

/** What needs a hand, the worse first. Services of one template with the same sentence count as one: one hand mends all. */
export function groupTrouble(services: readonly Service[]): readonly TroubleGroup[] {
  const groups = new Map<string, { service: Service; others: number }>();
  for (const service of services) {
    if (!needsHand(service)) continue;
    const shown = toShownState(service);
    const reason =
      shown === 'failing' ? (service.failure?.error.code ?? '') : (service.waiting?.reason ?? toWhy(service));
    const key = `${service.template} ${shown} ${reason}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { service, others: 0 });
    else group.others += 1;
  }
  const weight = { failing: 0, unresponsive: 1, waiting: 2 } as Readonly<Record<string, number>>;
  return [...groups.values()].sort(
    (a, b) => (weight[toShownState(a.service)] ?? 3) - (weight[toShownState(b.service)] ?? 3),
  );
}

/** How things stand, in one glance: calm, or how many services and templates need a hand. */
export interface Verdict {
  readonly hue: Extract<Hue, 'ok' | 'warn' | 'bad'>;
  readonly words: string;
}

/** The verdict over all services and templates; as bad as the worst of them. */
export function toVerdict(
  services: readonly Service[],
  templates: readonly Pick<Template, 'problems'>[],
): Verdict {
  const inTrouble = services.filter(needsHand);
  const faulty = templates.filter(({ problems }) => problems.length > 0).length;
  const count = inTrouble.length + faulty;
  if (count === 0) return { hue: 'ok', words: 'All is well' };
  const bad = faulty > 0 || inTrouble.some((service) => stateWords[toShownState(service)].hue === 'bad');
  return { hue: bad ? 'bad' : 'warn', words: toTroubleWords(count) };
}

/** The fullest node first; equal ones by name. */
export function byFullness(nodes: readonly Node[]): readonly Node[] {
  const share = ({ ram }: Node): number => (ram.totalMb === 0 ? 0 : ram.allocatedMb / ram.totalMb);
  return [...nodes].sort((a, b) => share(b) - share(a) || (a.id < b.id ? -1 : 1));
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
