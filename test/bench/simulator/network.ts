import { templateConfigSchema, type TemplateConfig } from '#shared/config/template.ts';
import type { TemplateId } from '#shared/model/template.ts';

/** One template of the simulated network and the people who play on it. */
export interface TemplateModel {
  readonly id: TemplateId;
  readonly config: TemplateConfig;
  /** Part of all players who are here at any time, 0–1. */
  readonly share: number;
  /** How long a player stays, ms; log-normal. */
  readonly stay: { readonly medianMs: number; readonly meanMs: number };
  /** From the start of the process until it can be joined, ms; evenly spread. */
  readonly bootMs: { readonly from: number; readonly to: number };
}

/** A type of rented machine. */
export interface NodeType {
  readonly type: string;
  /** RAM for services, MB: what is built in less what the system keeps. */
  readonly ramMb: number;
  /** EUR. */
  readonly hourlyPrice: number;
}

/** All that the world is made of and how fast it moves. README.md says where each number comes from. */
export interface NetworkModel {
  readonly templates: readonly TemplateModel[];
  readonly nodeTypes: readonly NodeType[];
  /** From the order until the node is READY, ms; evenly spread. */
  readonly nodeBootMs: { readonly from: number; readonly to: number };
  /** From the call until the provider has deleted a node and stops counting, ms. */
  readonly nodeDeleteMs: number;
  /** Copying the template's files, ms; evenly spread. */
  readonly prepareMs: { readonly from: number; readonly to: number };
  /** From the stop command until the process has saved its world and ended, ms. */
  readonly stopMs: number;
  /** Services that a node may prepare or start at the same time. */
  readonly startBudget: number;
  /** Mean time between crashes of one service, ms; null: none crash. */
  readonly serviceLifeMs: number | null;
  /** Mean time until a node is lost, ms; null: none are. */
  readonly nodeLifeMs: number | null;
  /** From the loss of a node until the master calls it LOST, ms. */
  readonly lossGraceMs: number;
  /** How long players wait for room before they leave, ms, exponential; null: for ever. */
  readonly patienceMs: number | null;
  /**
   * Which service a player joins, of those with room. `load-balancer`: services are proxies, and the load balancer decides as
   * the master tells it to.
   */
  readonly joining: 'fullest' | 'emptiest' | 'load-balancer';
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** 8 GB as sold, 1 GB kept for the system, its page cache and the JVMs' own overhead beyond what docs/specification.md#jvm-memory counts. */
export const EIGHT_GB: NodeType = { type: 'cpx32', ramMb: 7168, hourlyPrice: 0.02 };

/** A network of a lobby and five games. With 1,500 players it needs some 200 services on some 40 nodes. */
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

/** Proxies alone: for the rules they are services whose players stay as long as they are on the network. */
export function aProxyNetwork(joining: NetworkModel['joining']): NetworkModel {
  const proxy = template('proxy', {
    ...{ share: 1, maxPlayers: 50, ram: 512, spare: 1 },
    ...{ stay: [40, 60] as const, boot: [8, 12] as const },
  });
  return aNetworkModel({ templates: [proxy], joining });
}

/** The same network with other settings of its templates. */
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
  /** maxJvmMemory, MB. */
  readonly ram: number;
  /** minimumRunningServers. */
  readonly spare: number;
  /** Median and mean, minutes. */
  readonly stay: readonly [number, number];
  /** From and to, seconds. */
  readonly boot: readonly [number, number];
}

/** Settings that are not sketched have the spec's defaults. */
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
