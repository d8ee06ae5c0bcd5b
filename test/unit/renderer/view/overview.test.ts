import { describe, expect, it } from 'vitest';
import { byFullness, playersByNode, summarizeTemplates } from '#renderer/view/overview.ts';
import { aNode, aService, aTemplate } from '#test/support/app/models.ts';

describe('summarizeTemplates (summary of templates on the Overview screen)', () => {
  it('ignores stopping services, and counts free slots only on services that are up', () => {
    const [lobby] = summarizeTemplates(
      [aTemplate('lobby')],
      [
        aService('lobby', 1, { state: 'IN_USE', players: { online: 4, max: 20 } }),
        aService('lobby', 2, { state: 'STARTING', players: { online: 0, max: 20 } }),
        aService('lobby', 3, {
          state: 'RUNNING',
          stopping: { since: 1, cause: 'asked for', restart: false },
        }),
        aService('gone', 1, { state: 'RUNNING' }),
      ],
    );
    expect(lobby).toMatchObject({ online: 2, up: 1, players: 4, room: 20 });
  });
});

describe('playersByNode (counts the players on each node)', () => {
  it('counts a player once if game server and proxy of the player are on the same node', () => {
    const on = (node: string | null, online: number) => ({ node, players: { online, max: 100 } });
    const services = [
      aService('lobby', 1, on('node-1', 5)),
      aService('bedwars', 1, on('node-1', 3)),
      aService('proxy', 1, on('node-1', 8)),
      aService('proxy', 2, on('node-2', 30)),
      aService('lobby', 2, on('node-3', 0)),
      aService('lobby', 3, on(null, 0)),
    ];
    expect([...playersByNode(services, new Set(['proxy']))]).toEqual([
      ['node-1', 8],
      ['node-2', 30],
    ]);
  });
});

describe('byFullness (sorts nodes)', () => {
  it('sorts by the used share of RAM, and then by name', () => {
    const node = (id: string, allocatedMb: number, totalMb: number) =>
      aNode(id, { ram: { allocatedMb, totalMb } });
    const ids = byFullness([node('b', 50, 100), node('small', 9, 10), node('a', 5, 10), node('none', 0, 0)]);
    expect(ids.map(({ id }) => id)).toEqual(['small', 'a', 'b', 'none']);
  });
});
