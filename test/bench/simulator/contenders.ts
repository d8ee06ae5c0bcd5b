import type { Contender } from './compare.ts';
import { withConfig, type NetworkModel } from './network.ts';
import { bufferRules, type BufferSettings } from './policies/buffer.ts';
import { CLUSTER_AUTOSCALER_DEFAULTS, clusterAutoscalerRules } from './policies/cluster-autoscaler.ts';
import { ourNodeRules, ours, ourServiceRules } from './policies/ours.ts';
import { combine, type NodeRules, type ServiceRules } from './policies/parts.ts';
import { PERCENT_DEFAULTS, percentRules } from './policies/percent.ts';

/**
 * Settings of Overworld's rules that the comparison varies. All other settings have the default values of the
 * specification.
 */
export interface OurSettings {
  /** Value of `provider.upscaling_at_percent_capacity`. */
  readonly upscaling: number;
  /** Value of `startNewServiceAtTemplateCapacity` in all templates; 0 switches this rule off. */
  readonly capacity: number;
}

/** The default values of the specification. */
export const SPEC_DEFAULTS: OurSettings = { upscaling: 80, capacity: 0 };

/**
 * Recommended settings for networks that pay for their nodes. With these settings, there is little spare RAM, and
 * services start slightly before they are needed.
 */
export const TUNED: OurSettings = { upscaling: 95, capacity: 90 };

/** Default sync interval of Agones (ms). README.md names the source. */
const SYNC_MS = 30_000;

export function ourContender(network: NetworkModel, settings: OurSettings): Contender {
  return {
    name: `ours ${describe(settings)}`,
    family: 'ours',
    planner: ours,
    network: configured(network, settings),
    upscalingAtPercent: settings.upscaling,
  };
}

export function bufferContender(network: NetworkModel, size: BufferSettings['size']): Contender {
  return {
    name: `buffer ${'count' in size ? size.count : `${size.percent} %`}`,
    family: 'buffer',
    planner: () => combine(bufferRules({ size, syncMs: SYNC_MS }), theirNodes('packed')),
    network,
    upscalingAtPercent: SPEC_DEFAULTS.upscaling,
  };
}

/**
 * Returns CloudNet's policy with these settings.
 *
 * @param percent share of taken slots from which another service is started (percent)
 * @param delayS minimum time between two services that are started for players (s)
 */
export function percentContender(
  network: NetworkModel,
  { percent, delayS }: { readonly percent: number; readonly delayS: number },
): Contender {
  return {
    name: `percent ${percent} every ${delayS} s`,
    family: 'percent',
    planner: () => combine(percentServices(percent, delayS), theirNodes('spread')),
    network,
    upscalingAtPercent: SPEC_DEFAULTS.upscaling,
  };
}

/**
 * Returns combinations of Overworld's rules for services with other rules for nodes, and of Overworld's rules for
 * nodes with other rules for services. They show the effect of each part.
 */
export function mixedContenders(network: NetworkModel, settings: OurSettings): Contender[] {
  const mixed = (name: string, services: () => ServiceRules, nodes: () => NodeRules): Contender => ({
    name,
    family: 'mixed',
    planner: () => combine(services(), nodes()),
    network: configured(network, settings),
    upscalingAtPercent: settings.upscaling,
  });
  return [
    mixed(
      'our services, their nodes',
      () => ourServiceRules,
      () => theirNodes('packed'),
    ),
    mixed(
      'buffer 20 %, our nodes',
      () => bufferRules({ size: { percent: 20 }, syncMs: SYNC_MS }),
      () => ourNodeRules,
    ),
    mixed(
      'percent 80 every 20 s, our nodes',
      () => percentServices(80, 20),
      () => ourNodeRules,
    ),
  ];
}

function describe({ upscaling, capacity }: OurSettings): string {
  return `${upscaling} % RAM, ${capacity === 0 ? 'minimum only' : `${capacity} % slots`}`;
}

function configured(network: NetworkModel, { capacity }: OurSettings): NetworkModel {
  return withConfig(network, () => ({ startNewServiceAtTemplateCapacity: capacity }));
}

function theirNodes(placing: 'packed' | 'spread'): NodeRules {
  return clusterAutoscalerRules({ ...CLUSTER_AUTOSCALER_DEFAULTS, placing });
}

function percentServices(percent: number, delayS: number): ServiceRules {
  return percentRules({
    ...PERCENT_DEFAULTS,
    percentOfPlayersForANewServiceByInstance: percent,
    forAnewInstanceDelayMs: delayS * 1000,
  });
}
