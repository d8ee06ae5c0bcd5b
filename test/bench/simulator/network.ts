import { templateConfigSchema, type TemplateConfig } from '#shared/config/template.ts';
import type { TemplateId } from '#shared/model/template.ts';

/** Template of the simulated network, with the behaviour of its players. */
export interface TemplateModel {
  readonly id: TemplateId;
  readonly config: TemplateConfig;
  /** Share of all online players who are on services of this template, 0–1. */
  readonly share: number;
  /** Length of a player's stay (ms), which is log-normally distributed. */
  readonly stay: { readonly medianMs: number; readonly meanMs: number };
  /** Time from the start of the process until players can join (ms), which is uniformly distributed. */
  readonly bootMs: { readonly from: number; readonly to: number };
}

/** Server type of the provider. */
export interface NodeType {
  readonly type: string;
  /** RAM for services (MB): the RAM of the server minus the RAM that is reserved for the system. */
  readonly ramMb: number;
  /** Price per hour (EUR). */
  readonly hourlyPrice: number;
}

/** The parts of a simulated network, and their speeds. README.md gives the source of each number. */
export interface NetworkModel {
  readonly templates: readonly TemplateModel[];
  readonly nodeTypes: readonly NodeType[];
  /** Time from the order of a node until it is READY (ms), which is uniformly distributed. */
  readonly nodeBootMs: { readonly from: number; readonly to: number };
  /** Time from the request until the provider has deleted a node and stops billing it (ms). */
  readonly nodeDeleteMs: number;
  /** Time that copying a template's files takes (ms), which is uniformly distributed. */
  readonly prepareMs: { readonly from: number; readonly to: number };
  /** Time from the stop command until the process has saved its world and exited (ms). */
  readonly stopMs: number;
  /** Number of services that a node may prepare or start at the same time. */
  readonly startBudget: number;
  /** Mean time between crashes of one service (ms). Null means that no service crashes. */
  readonly serviceLifeMs: number | null;
  /** Mean time until a node is lost (ms). Null means that no node is lost. */
  readonly nodeLifeMs: number | null;
  /** Time from the loss of a node until the master marks it as LOST (ms). */
  readonly lossGraceMs: number;
  /**
   * Mean time for which players wait before they give up (ms), which is exponentially distributed. Null means that
   * players never give up.
   */
  readonly patienceMs: number | null;
  /**
   * Rule by which a player chooses a service with room. With `load-balancer`, services are proxies, and the load
   * balancer chooses with the limits that the master sets.
   */
  readonly joining: 'fullest' | 'emptiest' | 'load-balancer';
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * A cloud server sold with 8 GB. 1 GB is reserved for the system, its page cache, and the JVMs' overhead beyond
 * docs/specification.md#jvm-memory.
 */
export const EIGHT_GB: NodeType = { type: 'cpx32', ramMb: 7168, hourlyPrice: 0.02 };

/** Returns a network with a lobby and five games. For 1,500 players it needs about 200 services on about 40 nodes. */
export function aNetworkModel(changes: Partial<NetworkModel> = {}): NetworkModel {
  return {
    templates: [
      template('lobby', { share: 0.14, maxPlayers: 60, ram: 1024, spare: 2, stay: [2.5, 5], boot: [8, 12] }),
      template('bedwars', {
        share: 0.25,
        maxPlayers: 8,
        ram: 1024,
        spare: 1,
        stay: [12, 18],
        boot: [10, 16],
      }),
      template('skywars', { share: 0.16, maxPlayers: 8, ram: 768, spare: 1, stay: [8, 12], boot: [10, 16] }),
      template('duels', { share: 0.1, maxPlayers: 4, ram: 512, spare: 1, stay: [6, 9], boot: [8, 12] }),
      template('survival', {
        share: 0.2,
        maxPlayers: 40,
        ram: 4096,
        spare: 1,
        stay: [35, 60],
        boot: [25, 45],
      }),
      template('build', { share: 0.15, maxPlayers: 20, ram: 2048, spare: 1, stay: [25, 40], boot: [15, 25] }),
    ],
    nodeTypes: [EIGHT_GB],
    nodeBootMs: { from: 60 * SECOND, to: 90 * SECOND },
    nodeDeleteMs: 5 * SECOND,
    prepareMs: { from: 1 * SECOND, to: 4 * SECOND },
    stopMs: 5 * SECOND,
    startBudget: 4,
    serviceLifeMs: 500 * HOUR,
    nodeLifeMs: 2000 * HOUR,
    lossGraceMs: 60 * SECOND,
    patienceMs: null,
    joining: 'fullest',
    ...changes,
  };
}

/**
 * Returns a network that consists only of proxies. For the rules, proxies are services whose players stay as long as
 * they are online.
 */
export function aProxyNetwork(joining: NetworkModel['joining']): NetworkModel {
  const proxy = template('proxy', {
    ...{ share: 1, maxPlayers: 50, ram: 512, spare: 1 },
    ...{ stay: [40, 60] as const, boot: [8, 12] as const },
  });
  return aNetworkModel({ templates: [proxy], joining });
}

/** Returns the network with changed settings of its templates. */
export function withConfig(
  network: NetworkModel,
  change: (config: TemplateConfig, id: TemplateId) => Partial<TemplateConfig>,
): NetworkModel {
  const templates = network.templates.map((one) => ({
    ...one,
    config: { ...one.config, ...change(one.config, one.id) },
  }));
  return { ...network, templates };
}

interface Sketch {
  readonly share: number;
  readonly maxPlayers: number;
  /** Value of `maxJvmMemory` (MB). */
  readonly ram: number;
  /** Value of `minimumRunningServers`. */
  readonly spare: number;
  /** Median and mean length of a stay (minutes). */
  readonly stay: readonly [number, number];
  /** Shortest and longest start of a server (s). */
  readonly boot: readonly [number, number];
}

/** Returns a template. All other settings have the default values of the specification. */
export function template(
  id: TemplateId,
  { share, maxPlayers, ram, spare, stay, boot }: Sketch,
): TemplateModel {
  return {
    id,
    config: templateConfigSchema.parse({
      name: id,
      isProxy: false,
      maxPlayers,
      maxJvmMemory: ram,
      minimumRunningServers: spare,
      priority: id === 'lobby' ? 0 : 1,
    }),
    share,
    stay: { medianMs: stay[0] * MINUTE, meanMs: stay[1] * MINUTE },
    bootMs: { from: boot[0] * SECOND, to: boot[1] * SECOND },
  };
}
