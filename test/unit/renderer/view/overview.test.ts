import { describe, expect, it } from 'vitest';
import { byFullness, groupTrouble, summarizeTemplates, toVerdict } from '#renderer/view/overview.ts';
import { aNode, aService, aTemplate } from '#test/support/models.ts';

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

describe('toVerdict', () => {
  const calm = [aService('lobby', 1), aService('lobby', 2, { state: 'STARTING' })];
  const waits = aService('lobby', 3, { state: 'REQUESTED', waiting });
  const silent = aService('lobby', 4, { unresponsive: true });
  const faulty = aTemplate(
    'lobby',
    {},
    {
      problems: [
        {
          field: 'maxPlayers',
          problem: 'is missing',
          value: null,
          allowed: 'a number',
          default: '1',
          line: 1,
        },
      ],
    },
  );

  it.each([
    { name: 'nothing waits or fails', services: calm, templates: [], want: ['ok', 'All is well'] },
    { name: 'one waits', services: [...calm, waits], templates: [], want: ['warn', '1 needs a hand'] },
    {
      name: 'the worst decides',
      services: [waits, silent],
      templates: [],
      want: ['bad', '2 need a hand'],
    },
    {
      name: 'a faulty template counts',
      services: calm,
      templates: [faulty],
      want: ['bad', '1 needs a hand'],
    },
  ])('$name', ({ services, templates, want }) => {
    const { hue, words } = toVerdict(services, templates);
    expect([hue, words]).toEqual(want);
  });
});

describe('byFullness', () => {
  it('puts the fullest first, whatever their sizes, and keeps equal ones by name', () => {
    const node = (id: string, allocatedMb: number, totalMb: number) =>
      aNode(id, { ram: { allocatedMb, totalMb } });
    const ids = byFullness([node('b', 50, 100), node('small', 9, 10), node('a', 5, 10), node('none', 0, 0)]);
    expect(ids.map(({ id }) => id)).toEqual(['small', 'a', 'b', 'none']);
  });
});
