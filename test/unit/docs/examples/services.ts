import { aService, aTemplate, NOW } from '#test/support/master/snapshots.ts';
import { aNetwork, aRentedNetwork, LOBBY, nodeInMinute, SURVIVAL, type Example } from './example.ts';

/** Examples of the rules that determine the number of services and their start order. */
export const serviceExamples: readonly Example[] = [
  {
    name: 'minimum',
    snapshot: aNetwork({
      templates: [aTemplate('lobby', { minimumRunningServers: 2 })],
      services: [aService('lobby-1', { state: 'IN_USE', players: 7 }), aService('lobby-2')],
    }),
  },
  {
    name: 'minimum-on-the-way',
    snapshot: aNetwork({
      templates: [aTemplate('lobby', { minimumRunningServers: 2 })],
      services: [
        aService('lobby-1', { state: 'IN_USE', players: 7 }),
        aService('lobby-2'),
        aService('lobby-3', { state: 'STARTING' }),
      ],
    }),
  },
  {
    name: 'template-capacity',
    snapshot: aNetwork({
      templates: [aTemplate('bedwars', { startNewServiceAtTemplateCapacity: 50 })],
      services: [
        aService('bedwars-1', { state: 'IN_USE', players: 10 }),
        aService('bedwars-2', { state: 'IN_USE', players: 2 }),
      ],
    }),
  },
  {
    name: 'template-capacity-rush',
    snapshot: aNetwork({
      templates: [aTemplate('bedwars', { startNewServiceAtTemplateCapacity: 50 })],
      services: [
        aService('bedwars-1', { state: 'IN_USE', players: 10 }),
        aService('bedwars-2', { state: 'IN_USE', players: 10 }),
      ],
    }),
  },
  {
    name: 'global-capacity',
    snapshot: aNetwork({
      maxOnlinePlayers: 100,
      templates: [
        aTemplate('lobby', { startNewServiceAtGlobalCapacity: 80, maxPlayers: 60 }),
        aTemplate('survival', { maxPlayers: 40 }),
      ],
      services: [
        aService('lobby-1', { state: 'IN_USE', players: 44, maxPlayers: 60 }),
        aService('survival-1', { state: 'IN_USE', players: 38, maxPlayers: 40 }),
      ],
    }),
  },
  {
    name: 'cap',
    snapshot: aNetwork({
      templates: [aTemplate('lobby', { minimumRunningServers: 1, maximumOnlineServers: 2 })],
      services: [
        aService('lobby-1', { state: 'IN_USE', players: 10 }),
        aService('lobby-2', { state: 'IN_USE', players: 9 }),
      ],
    }),
  },
  {
    name: 'cap-with-room',
    snapshot: aNetwork({
      templates: [aTemplate('proxy', { minimumRunningServers: 1, maximumOnlineServers: 1 })],
      services: [aService('proxy-1', { state: 'IN_USE', players: 7 })],
    }),
  },
  {
    name: 'cap-lowered',
    snapshot: aNetwork({
      templates: [aTemplate('lobby', { maximumOnlineServers: 1 })],
      services: [
        aService('lobby-1', { state: 'IN_USE', players: 3 }),
        aService('lobby-2'),
        aService('lobby-3', { state: 'IN_USE', players: 1 }),
      ],
    }),
  },
  {
    name: 'priority',
    snapshot: aRentedNetwork({
      templates: [
        aTemplate('lobby', { priority: 0, minimumRunningServers: 1 }),
        aTemplate('bedwars', { priority: 1, minimumRunningServers: 1 }),
      ],
      services: [
        aService('survival-1', { state: 'IN_USE', players: 30, maxPlayers: 40, ramMb: 4471, node: 'node-1' }),
        aService('lobby-1', { state: 'REQUESTED', requestedAt: NOW - 1_000 }),
        aService('bedwars-1', { state: 'REQUESTED', requestedAt: NOW - 9_000 }),
      ],
      nodes: [nodeInMinute('node-1', 30, { ramMb: 6_000 })],
      market: null,
    }),
  },
  {
    name: 'kill-unused',
    snapshot: aRentedNetwork({
      templates: [LOBBY],
      services: [
        aService('lobby-1', { state: 'IN_USE', players: 6, node: 'node-1' }),
        aService('lobby-2', { unusedSince: NOW - 150_000, node: 'node-2' }),
        aService('lobby-3', { unusedSince: NOW - 200_000, node: 'node-1' }),
      ],
      nodes: [nodeInMinute('node-1', 2), nodeInMinute('node-2', 2)],
      market: null,
    }),
  },
  {
    name: 'kill-unused-needed',
    snapshot: aNetwork({
      templates: [aTemplate('bedwars', { startNewServiceAtTemplateCapacity: 50 })],
      services: [
        aService('bedwars-1', { state: 'IN_USE', players: 10 }),
        aService('bedwars-2', { state: 'IN_USE', players: 1 }),
        aService('bedwars-3', { unusedSince: NOW - 500_000 }),
      ],
    }),
  },
  {
    name: 'placement',
    snapshot: aRentedNetwork({
      templates: [SURVIVAL],
      services: [
        aService('survival-1', { state: 'IN_USE', players: 30, maxPlayers: 40, ramMb: 4471, node: 'node-1' }),
        aService('survival-2', { state: 'REQUESTED', manual: true, maxPlayers: 40, ramMb: 4471 }),
        aService('lobby-1', { state: 'IN_USE', players: 6, node: 'node-2' }),
      ],
      nodes: [nodeInMinute('node-1', 2), nodeInMinute('node-2', 2), nodeInMinute('node-3', 2)],
      market: null,
    }),
  },
];
