import { aNode, aService, aTemplate } from '#test/support/master/snapshots.ts';
import { aNetwork, aRentedNetwork, LOBBY, nodeInMinute, type Example } from './example.ts';

const inUse = aService('lobby-1', { state: 'IN_USE', players: 6, retiring: true });

/** Examples with rolling restarts, and with deletions and releases by people. */
export const renewalExamples: readonly Example[] = [
  {
    name: 'restart',
    snapshot: aNetwork({
      templates: [LOBBY],
      services: [aService('lobby-1', { restarting: true, manual: true })],
    }),
  },
  {
    name: 'rolling',
    snapshot: aNetwork({
      templates: [LOBBY],
      services: [inUse, aService('lobby-2', { retiring: true }), aService('lobby-3', { retiring: true })],
    }),
  },
  {
    name: 'rolling-later',
    snapshot: aNetwork({
      templates: [LOBBY],
      services: [
        inUse,
        aService('lobby-2', { retiring: true }),
        aService('lobby-3', { retiring: true, stopping: true }),
      ],
    }),
  },
  {
    name: 'rolling-many',
    snapshot: aNetwork({
      templates: [aTemplate('lobby', { startNewServiceAtTemplateCapacity: 80 })],
      services: [1, 2, 3, 4, 5].map((n) =>
        aService(`lobby-${n}`, { state: 'IN_USE', players: 7, retiring: true }),
      ),
    }),
  },
  {
    name: 'rolling-capped',
    snapshot: aNetwork({
      templates: [aTemplate('lobby', { minimumRunningServers: 2, maximumOnlineServers: 2 })],
      services: [aService('lobby-1', { retiring: true }), aService('lobby-2', { retiring: true })],
    }),
  },
  {
    name: 'rolling-full',
    snapshot: aNetwork({
      templates: [LOBBY],
      services: [
        aService('lobby-1', { retiring: true }),
        aService('lobby-2', { state: 'REQUESTED', maxPlayers: 10 }),
      ],
      nodes: [aNode({ ramMb: 2_048 })],
    }),
  },
  {
    name: 'leaving-template',
    snapshot: aNetwork({
      templates: [aTemplate('lobby', { minimumRunningServers: 2 }, { leaving: true })],
      services: [
        aService('lobby-1', { state: 'IN_USE', players: 6 }),
        aService('lobby-2'),
        aService('lobby-3', { state: 'STARTING' }),
      ],
    }),
  },
  {
    name: 'released-node',
    stays: 'node-2',
    snapshot: aRentedNetwork({
      templates: [LOBBY],
      services: [
        aService('lobby-1', { node: 'node-1' }),
        aService('lobby-2', { state: 'IN_USE', players: 4, node: 'node-2' }),
      ],
      nodes: [nodeInMinute('node-1', 2), nodeInMinute('node-2', 10, { state: 'DRAINING', leaving: true })],
    }),
  },
  {
    name: 'released-node-later',
    snapshot: aRentedNetwork({
      templates: [LOBBY],
      services: [aService('lobby-1', { node: 'node-1' })],
      nodes: [nodeInMinute('node-1', 2), nodeInMinute('node-2', 11, { state: 'DRAINING', leaving: true })],
    }),
  },
];
