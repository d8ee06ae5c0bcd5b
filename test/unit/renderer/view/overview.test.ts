import { describe, expect, it } from 'vitest';
import { groupTrouble, summarizeTemplates } from '#renderer/view/overview.ts';
import { aService, aTemplate } from '#test/support/models.ts';

const waiting = { reason: 'SERVER_JAR_MISSING', message: 'No server.jar.', until: null } as const;

describe('groupTrouble', () => {
  it('counts services of one template with one reason as one, the worse first', () => {
    const groups = groupTrouble([
      aService('lobby', 1, { state: 'REQUESTED', waiting }),
      aService('lobby', 2, { state: 'REQUESTED', waiting }),
      aService('proxy', 1, { state: 'REQUESTED', waiting }),
      aService('arena', 1, { state: 'IN_USE', unresponsive: true }),
      aService('arena', 2, { state: 'RUNNING' }),
    ]);
    expect(groups.map(({ service, others }) => [service.id, others])).toEqual([
      ['arena-1', 0],
      ['lobby-1', 1],
      ['proxy-1', 0],
    ]);
  });
});

describe('summarizeTemplates', () => {
  it('leaves stopping ones out and counts room only on what is up', () => {
    const [lobby] = summarizeTemplates(
      [aTemplate('lobby')],
      [
        aService('lobby', 1, { state: 'IN_USE', players: { online: 4, max: 20 } }),
        aService('lobby', 2, { state: 'STARTING', players: { online: 0, max: 20 } }),
        aService('lobby', 3, { state: 'RUNNING', stopping: { since: 1, cause: 'asked for' } }),
        aService('gone', 1, { state: 'RUNNING' }),
      ],
    );
    expect(lobby).toMatchObject({ online: 2, up: 1, players: 4, room: 20 });
  });
});
