import { serviceRamMb, type TemplateConfig } from '../config/template.ts';
import type { Node } from '../model/node.ts';
import type { SoftwareChoice } from '../model/software.ts';
import type { Params } from '../rpc/contract.ts';
import { configOf, presetOf, suggestId } from './presets.ts';

/** Role of a template in the network, such as proxy or lobby. */
export type PartKind = keyof typeof presetOf;

/** One template of the network, as a person describes it. */
export interface NetworkPart {
  readonly kind: PartKind;
  readonly name: string;
  /** Maximum heap of each service (MB). */
  readonly memoryMb: number;
}

/** The network that a person wants to create. */
export interface NetworkRequest {
  readonly parts: readonly NetworkPart[];
  /** Number of simultaneous players for which the network should have room. */
  readonly players: number;
  /** Software of the proxies, and software of all other templates. */
  readonly software: { readonly proxy: SoftwareChoice; readonly game: SoftwareChoice };
}

/** A template of the network, in the form in which it is requested from the master. */
export type PlannedTemplate = Params<'templates.createAll'>['templates'][number] & {
  readonly config: TemplateConfig;
};

/** Software that is included in Overworld and works without internet access. */
export const practiceSoftware: NetworkRequest['software'] = {
  proxy: { software: 'practice-proxy', version: null, build: null },
  game: { software: 'practice-server', version: null, build: null },
};

/** Minimum and maximum of the heap that a person can choose for a service (MB). */
export const HEAP_MB = { min: 64, max: 131_072 } as const;

/** Largest number of players of a new network. */
export const MAX_PLAYERS = 100_000;

/**
 * Minimum heap of a service (MB), unless its maximum is smaller. The JVM allocates more, up to the maximum, when it
 * needs more.
 */
const MIN_HEAP_MB = 256;

/** Minimum heap of the practice software (MB). */
const PRACTICE_MIN_HEAP_MB = 32;

/** Suggested maximum heap (MB), for real server software and for the practice software, which has no world. */
export const suggestedMemoryMb: Readonly<Record<'real' | 'practice', Readonly<Record<PartKind, number>>>> = {
  real: { proxy: 512, lobby: 1024, game: 2048 },
  practice: { proxy: 128, lobby: 128, game: 128 },
};

/**
 * Returns the templates of a network. Each template keeps one empty service ready. The maximum number of services of
 * each template is enough for all players, plus one, so that a rolling restart can start a replacement first.
 *
 * @param taken ids of existing templates
 */
export function planNetwork(
  { parts, players, software }: NetworkRequest,
  taken: readonly string[],
): readonly PlannedTemplate[] {
  const ids = [...taken];
  return parts.map(({ kind, name, memoryMb }) => {
    const preset = presetOf[kind];
    const choice = kind === 'proxy' ? software.proxy : software.game;
    const id = suggestId(name, ids);
    ids.push(id);
    const minimum = choice.software.startsWith('practice-') ? PRACTICE_MIN_HEAP_MB : MIN_HEAP_MB;
    const config: TemplateConfig = {
      ...configOf(preset, preset.isProxy, name.trim()),
      maximumOnlineServers: Math.ceil(players / preset.values.maxPlayers) + 1,
      minJvmMemory: Math.min(minimum, memoryMb),
      maxJvmMemory: memoryMb,
    };
    return { id, config, software: choice };
  });
}

/** Returns the total RAM of the first services of the templates (MB). */
export function ramAtStartMb(planned: readonly Pick<PlannedTemplate, 'config'>[]): number {
  return planned.reduce((sum, { config }) => sum + config.minimumRunningServers * serviceRamMb(config), 0);
}

/** Returns the RAM that is free for services now, on all nodes that accept services (MB). */
export function freeRamMb(nodes: readonly Pick<Node, 'state' | 'held' | 'ram'>[]): number {
  return nodes
    .filter(({ state, held }) => state === 'READY' && !held)
    .reduce((sum, { ram }) => sum + Math.max(0, ram.totalMb - ram.allocatedMb), 0);
}
