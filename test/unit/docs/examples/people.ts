import { aNode, aService, aTemplate, NOW } from '#test/support/master/snapshots.ts';
import { aNetwork, aRentedNetwork, LOBBY, nodeInMinute, type Example } from './example.ts';

/** Examples with paused automation and with failures. */
export const peopleExamples: readonly Example[] = [
  {
    name: 'backing-off',
    snapshot: aNetwork({
      templates: [aTemplate('lobby', { minimumRunningServers: 1 }, { retryAt: NOW + 20_000 })],
      services: [aService('lobby-1', { state: 'REQUESTED' })],
    }),
  },
  {
    name: 'held-service',
    snapshot: aNetwork({
      templates: [LOBBY],
      services: [aService('lobby-1', { state: 'REQUESTED', held: true })],
    }),
  },
  {
    name: 'held-template',
    snapshot: aNetwork({
      templates: [aTemplate('lobby', { minimumRunningServers: 2 }, { held: true })],
      services: [aService('lobby-1')],
    }),
  },
  {
    name: 'locked-node',
    stays: 'node-2',
    snapshot: aRentedNetwork({
      templates: [LOBBY],
      services: [aService('lobby-1', { node: 'node-1' })],
      nodes: [nodeInMinute('node-1', 2), nodeInMinute('node-2', 58, { locked: true })],
    }),
  },
  {
    name: 'cordoned-node',
    snapshot: aNetwork({
      templates: [LOBBY],
      services: [aService('lobby-1', { state: 'REQUESTED' })],
      nodes: [aNode({ state: 'CORDONED', ramMb: 7_168 })],
      configureMode: false,
    }),
  },
  {
    name: 'drained-node',
    snapshot: aRentedNetwork({
      templates: [LOBBY],
      services: [
        aService('lobby-1', { node: 'node-1' }),
        aService('lobby-2', { state: 'IN_USE', players: 4, node: 'node-1' }),
      ],
      nodes: [nodeInMinute('node-1', 2, { state: 'DRAINING' }), nodeInMinute('node-2', 2)],
      market: null,
    }),
  },
  {
    name: 'drained-node-later',
    snapshot: aRentedNetwork({
      templates: [LOBBY],
      services: [
        aService('lobby-1', { node: 'node-1' }),
        aService('lobby-2', { state: 'IN_USE', players: 4, node: 'node-1' }),
        aService('lobby-3', { node: 'node-2' }),
      ],
      nodes: [nodeInMinute('node-1', 3, { state: 'DRAINING' }), nodeInMinute('node-2', 3)],
      market: null,
    }),
  },
];
