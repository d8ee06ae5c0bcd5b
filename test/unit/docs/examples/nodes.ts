import type { NodeSnapshot, Snapshot } from '#master/core/snapshot/snapshot.ts';
import { anOffer, aService, aTemplate, NOW } from '#test/support/master/snapshots.ts';
import {
  aRentedNetwork,
  aSurvival,
  LOBBY,
  MINUTE_MS,
  nodeInMinute,
  SURVIVAL,
  type Example,
} from './example.ts';

const waiting = aService('survival-3', { state: 'REQUESTED', manual: true, maxPlayers: 40, ramMb: 4471 });
const twoBusyNodes = {
  templates: [SURVIVAL],
  services: [aSurvival(1, 'node-1'), aSurvival(2, 'node-2'), waiting],
  nodes: [nodeInMinute('node-1', 2), nodeInMinute('node-2', 2)],
  upscalingAtPercent: 95,
};

/** Creates a network with two lobbies in use on node-1, and the spare node-2. The example is about node-2. */
const withSpareNode = (
  node2: Parameters<typeof nodeInMinute>[2] & { readonly minute: number },
  others: readonly ReturnType<typeof aService>[] = [],
) => {
  const { minute, ...fields } = node2;
  return aRentedNetwork({
    templates: [LOBBY],
    services: [
      aService('lobby-1', { state: 'IN_USE', players: 6, node: 'node-1' }),
      aService('lobby-2', { node: 'node-1' }),
      ...others,
    ],
    nodes: [nodeInMinute('node-1', 2), nodeInMinute('node-2', minute, fields)],
  });
};

/** Creates a network in which a service is requested while the only node is unreachable. */
function withSilentNode(silent: NodeSnapshot['silent']): Snapshot {
  return aRentedNetwork({
    templates: [LOBBY],
    services: [
      aService('lobby-1', { state: 'IN_USE', players: 6, node: 'node-1' }),
      aService('lobby-2', { state: 'REQUESTED' }),
    ],
    nodes: [nodeInMinute('node-1', 2, { silent })],
  });
}

/** Examples of the rules for node orders. */
export const orderExamples: readonly Example[] = [
  {
    name: 'order-threshold',
    snapshot: aRentedNetwork({
      templates: [SURVIVAL, aTemplate('lobby')],
      services: [
        aSurvival(1, 'node-1'),
        aSurvival(2, 'node-2'),
        aService('lobby-1', { state: 'IN_USE', players: 6, node: 'node-1' }),
        aService('lobby-2', { state: 'IN_USE', players: 4, node: 'node-2' }),
      ],
      nodes: [nodeInMinute('node-1', 2), nodeInMinute('node-2', 2)],
    }),
  },
  { name: 'order-no-room', snapshot: aRentedNetwork(twoBusyNodes) },
  {
    name: 'order-cheapest',
    snapshot: aRentedNetwork(
      {
        templates: [aTemplate('survival', { maxJvmMemory: 4096, maxPlayers: 40, minimumRunningServers: 2 })],
        services: [1, 2].map((number) =>
          aService(`survival-${number}`, { state: 'REQUESTED', maxPlayers: 40, ramMb: 4471 }),
        ),
        nodes: [],
      },
      {
        offers: [
          anOffer('cpx22', { ramMb: 3_072, hourlyPrice: 0.012 }),
          anOffer('cpx32', { ramMb: 7_168, hourlyPrice: 0.02 }),
          anOffer('cpx42', { ramMb: 15_360, hourlyPrice: 0.036 }),
          anOffer('cpx41', { ramMb: 15_360, hourlyPrice: 0.03 }),
          anOffer('cpx43', { ramMb: 15_360, hourlyPrice: 0.028, soldOutUntil: NOW + 5 * MINUTE_MS }),
          anOffer('cx43', { ramMb: 15_360, hourlyPrice: 0.018 }),
        ],
        blockedServers: ['cpx41'],
      },
    ),
  },
  { name: 'order-configure-mode', snapshot: aRentedNetwork({ ...twoBusyNodes, configureMode: true }) },
  {
    name: 'order-sold-out',
    snapshot: aRentedNetwork(twoBusyNodes, {
      offers: [anOffer('cpx32', { soldOutUntil: NOW + 5 * MINUTE_MS })],
    }),
  },
  { name: 'order-not-for-silence', snapshot: withSilentNode('awaited') },
  { name: 'order-for-silence', snapshot: withSilentNode('overdue') },
];

/** Examples of the rules for the drain, the resume and the release of nodes. */
export const hourExamples: readonly Example[] = [
  { name: 'hour-empty', stays: 'node-2', snapshot: withSpareNode({ minute: 30 }) },
  { name: 'hour-release', snapshot: withSpareNode({ minute: 57 }) },
  {
    name: 'hour-drain',
    stays: 'node-2',
    snapshot: withSpareNode({ minute: 10 }, [
      aService('lobby-3', { state: 'IN_USE', players: 1, node: 'node-2' }),
    ]),
  },
  {
    name: 'hour-needed',
    stays: 'node-2',
    snapshot: aRentedNetwork({
      templates: [SURVIVAL, LOBBY],
      services: [
        aSurvival(1, 'node-1'),
        aService('lobby-1', { node: 'node-1' }),
        aService('lobby-2', { state: 'IN_USE', players: 1, node: 'node-2' }),
      ],
      nodes: [nodeInMinute('node-1', 2), nodeInMinute('node-2', 40)],
    }),
  },
  {
    name: 'hour-resume',
    snapshot: aRentedNetwork({
      templates: [SURVIVAL],
      services: [aSurvival(1, 'node-1'), { ...waiting, id: 'survival-2' }],
      nodes: [
        nodeInMinute('node-1', 2),
        nodeInMinute('node-2', 40, { state: 'DRAINING', drainedByRules: true }),
      ],
    }),
  },
  {
    name: 'lost',
    snapshot: aRentedNetwork({
      templates: [LOBBY],
      services: [
        aService('lobby-1', { state: 'IN_USE', players: 6, node: 'node-1' }),
        aService('lobby-2', { node: 'node-2' }),
      ],
      nodes: [nodeInMinute('node-1', 2), nodeInMinute('node-2', 10, { state: 'LOST' })],
    }),
  },
];
