import type { Action, Plan } from '#master/core/action.ts';
import type {
  NodeSnapshot,
  ServiceSnapshot,
  Snapshot,
  TemplateSnapshot,
} from '#master/core/snapshot/snapshot.ts';
import { aNode, aService, aTemplate } from '../master/snapshots.ts';

/** Describes a network in a few lines, for the message of a failed test. Contains only unusual values. */
export function worldInWords(snapshot: Snapshot): string {
  const { templates, services, nodes, market, now, ...network } = snapshot;
  return [
    `network ${JSON.stringify(network)}`,
    ...(market === null ? [] : [`market ${JSON.stringify(market)}`]),
    ...templates.map(templateInWords),
    ...nodes.map((node) => nodeInWords(node, now)),
    ...services.map((service) => serviceInWords(service, now)),
  ].join('\n');
}

export function planInWords({ actions, waiting, unmet, noOrder, kept }: Plan): string {
  return [
    ...grouped(actions.map((action) => [subjectOf(action), `${action.kind} because ${action.cause}`])),
    ...grouped([...waiting].map(([id, wait]) => [id, `waits: ${wait.reason}`])),
    ...[...unmet].map(([id, { missing, wait }]) => `${id} lacks ${missing}: ${wait.reason}`),
    ...(noOrder === null ? [] : [`no order: ${noOrder.reason}`]),
    ...[...kept].map(([id, { reason, message }]) => `${id} kept: ${reason}, ${message}`),
  ].join('\n');
}

function subjectOf(action: Action): string {
  if (action.kind === 'start') return `${action.service} on ${action.node}`;
  if (action.kind === 'order') return `${action.node} (${action.type}, ${action.ramMb} MB)`;
  return 'service' in action ? action.service : action.node;
}

/**
 * Combines lines that differ only in their subjects.
 *
 * Example: `t0-1 … t0-9 (9): request because …` instead of nine lines.
 */
function grouped(lines: readonly (readonly [subject: string, says: string])[]): string[] {
  const groups = new Map<string, string[]>();
  for (const [subject, says] of lines) groups.set(says, [...(groups.get(says) ?? []), subject]);
  return [...groups].map(([says, subjects]) => {
    const all = subjects.length > 3 ? [subjects[0], '…', subjects.at(-1)] : subjects;
    return `${all.join(' ')} (${subjects.length}): ${says}`;
  });
}

function templateInWords({ id, config, ...rest }: TemplateSnapshot): string {
  const { config: ordinaryConfig, ...ordinary } = aTemplate(id, { name: id });
  return `template ${id} ${difference({ ...config, ...rest }, { ...ordinaryConfig, ...ordinary })}`;
}

function nodeInWords({ id, rental, ...rest }: NodeSnapshot, now: number): string {
  const rented = rental === null ? 'own' : `rented for ${(now - rental.since) / 60_000} min`;
  return `node ${id} ${rented} ${difference(rest, aNode())}`;
}

function serviceInWords({ id, requestedAt, ...rest }: ServiceSnapshot, now: number): string {
  return `service ${id} requested ${now - requestedAt} ms ago ${difference(rest, aService(id, { node: null }))}`;
}

function difference(one: object, ordinary: object): string {
  const usual = new Map(Object.entries(ordinary));
  return JSON.stringify(
    Object.fromEntries(
      Object.entries(one).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(usual.get(key))),
    ),
  );
}
