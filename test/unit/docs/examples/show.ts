import { templateConfigSchema } from '#shared/config/template.ts';
import type { Action, Plan } from '#master/core/action.ts';
import { allocatedMb } from '#master/core/snapshot/capacity.ts';
import { HOUR_MS, paidUntil } from '#master/core/fleet/release-window.ts';
import { plan } from '#master/core/plan.ts';
import type { Example } from './example.ts';
import type {
  NodeSnapshot,
  Offer,
  ServiceSnapshot,
  Snapshot,
  TemplateSnapshot,
} from '#master/core/snapshot/snapshot.ts';

/** Maximum line length of a block. Longer lines are wrapped and indented. */
const LINE_LENGTH = 104;

/** Returns the block of an example: the situation and, after arrows, the actions of the planner. */
export function show({ snapshot, stays }: Example): string {
  const given = [
    ...snapshot.templates.map((template) => showTemplate(template, snapshot)),
    ...snapshot.services.map((service) => showService(service, snapshot)),
    ...snapshot.nodes.filter(isNamed).map((node) => showNode(node, snapshot)),
    ...showMarket(snapshot),
  ];
  const planned = showPlan(plan(snapshot), stays);
  return [...given, ...planned.map((line) => `→ ${line}`)].flatMap(wrap).join('\n');
}

function showTemplate({ id, config, held, leaving, retryAt }: TemplateSnapshot, { now }: Snapshot): string {
  const defaults = templateConfigSchema.parse({ isProxy: false });
  const keys = Object.keys(config) as (keyof typeof config)[];
  const settings = keys.filter((key) => JSON.stringify(config[key]) !== JSON.stringify(defaults[key]));
  const words = settings.map((key) => `${key} ${JSON.stringify(config[key])}`);
  if (held) words.push('paused');
  if (leaving) words.push('is being deleted');
  if (retryAt !== null) words.push(`a start failed, next try in ${(retryAt - now) / 1000} s`);
  return `template ${id}: ${words.join(', ')}`;
}

function showService(service: ServiceSnapshot, { now, nodes }: Snapshot): string {
  const { id, state, players, maxPlayers, unusedSince, node, ramMb } = service;
  const words: string[] = [state];
  if (state === 'IN_USE') words.push(`${players} of ${maxPlayers} players`);
  if (unusedSince !== null && unusedSince < now) words.push(`unused for ${(now - unusedSince) / 1000} s`);
  if (nodes.some(isNamed)) words.push(`${ramMb} MB${node === null ? '' : ` on ${node}`}`);
  return `${id}: ${[...words, ...showWishes(service)].join(', ')}`;
}

function showWishes({ held, retiring, stopping, restarting }: ServiceSnapshot): string[] {
  return [
    ...(held ? ['paused'] : []),
    ...(retiring ? ['will be replaced'] : []),
    ...(stopping ? ['is stopping'] : []),
    ...(restarting ? ['is stopping for a restart'] : []),
  ];
}

/**
 * Reports whether the block shows a node. Examples that are not about nodes use the default node, which the block
 * omits.
 */
function isNamed({ ramMb }: NodeSnapshot): boolean {
  return ramMb < 100_000;
}

function showNode(node: NodeSnapshot, { now, services }: Snapshot): string {
  const words: string[] = [node.state, `${allocatedMb(node, services)} of ${node.ramMb} MB taken`];
  if (node.rental !== null) {
    const minute = (now - (paidUntil(node.rental, now) - HOUR_MS)) / 60_000;
    words.push(`minute ${minute} of its paid hour`);
  }
  if (node.state === 'DRAINING') words.push(node.drainedByRules ? 'by the rules' : 'by a person');
  if (node.silent === 'awaited') words.push('silent for less than a minute');
  if (node.silent === 'overdue') words.push('silent for longer');
  if (node.locked) words.push('protected from release');
  if (node.leaving) words.push('is being released');
  return `${node.id}: ${words.join(', ')}`;
}

/** Returns the offers of the provider, for examples that order a node. */
function showMarket({
  market,
  upscalingAtPercent,
  configureMode,
  maxOnlinePlayers,
  templates,
  now,
}: Snapshot) {
  if (market === null) {
    const global = templates.some(({ config }) => config.startNewServiceAtGlobalCapacity > 0);
    return global ? [`max_online_players ${maxOnlinePlayers}`] : [];
  }
  const settings = [`upscaling_at_percent_capacity ${upscalingAtPercent}`];
  if (configureMode) settings.push('configure_mode true');
  const { offers, serverType, blockedServers, locations } = market;
  if (offers.length > 1) {
    settings.push(`location ${locations.join(', ')}`, `server_type ${serverType}`);
    settings.push(`blocked_servers ${JSON.stringify(blockedServers)}`);
  }
  const isPlain = offers.length === 1 && offers[0]?.soldOutUntil === null;
  return [settings.join(', '), ...(isPlain ? [] : offers.map((offer) => showOffer(offer, now)))];
}

function showOffer({ type, ramMb, hourlyPrice, soldOutUntil }: Offer, now: number): string {
  const soldOut =
    soldOutUntil === null ? '' : `, sold out: asked again in ${(soldOutUntil - now) / 60_000} min`;
  return `for sale: ${type}, ${ramMb} MB, ${hourlyPrice} EUR per hour${soldOut}`;
}

function showPlan({ actions, waiting, unmet, noOrder, kept }: Plan, stays: string | undefined): string[] {
  const waits = [...waiting].map(([service, { message }]) => `${service} waits: ${message}`);
  const isCited = noOrder === null || waits.some((wait) => wait.endsWith(noOrder.message));
  const keep = stays === undefined ? undefined : kept.get(stays);
  const lines = [
    ...actions.map((action) => `${showAction(action)}: ${action.cause}`),
    ...waits,
    ...[...unmet].map(([template, { missing, wait }]) => `${template} lacks ${missing}: ${wait.message}`),
    ...(isCited ? [] : [`no order: ${noOrder.message}`]),
    ...(keep === undefined ? [] : [`${stays ?? ''} stays: ${keep.message}`]),
  ];
  return lines.length === 0 ? ['nothing to do'] : lines;
}

function showAction(action: Action): string {
  switch (action.kind) {
    case 'request':
    case 'stop':
      return `${action.kind} ${action.service}`;
    case 'start':
      return `start ${action.service} on ${action.node}`;
    case 'order':
      return `order ${action.node}, a ${action.type}`;
    case 'drain':
    case 'resume':
    case 'release':
      return `${action.kind} ${action.node}`;
  }
}

function wrap(line: string): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > LINE_LENGTH) {
      lines.push(current);
      current = `    ${word}`;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  return [...lines, current];
}
