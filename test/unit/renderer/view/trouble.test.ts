import { describe, expect, it } from 'vitest';
import { collectTrouble, groupTrouble, toVerdict } from '#renderer/view/trouble.ts';
import type { Template } from '#shared/model/template.ts';
import type { Wait, WaitReason } from '#shared/model/wait.ts';
import { aNode, aService, aTemplate } from '#test/support/models.ts';

const wait = (reason: WaitReason): Wait => ({ reason, message: `Because of ${reason}.`, until: null });
const lacking = (reason: WaitReason): Template =>
  aTemplate('lobby', {}, { unmet: { missing: 2, wait: wait(reason) } });
const waiting = wait('SERVER_JAR_MISSING');

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
    {
      name: 'held ones need no hand',
      services: [...calm, aService('lobby', 5, { state: 'REQUESTED', held: true, waiting: wait('HELD') })],
      templates: [aTemplate('lobby', {}, { held: true, unmet: { missing: 1, wait: wait('HELD') } })],
      want: ['ok', 'All is well'],
    },
    {
      name: 'what comes by itself needs none',
      services: calm,
      templates: [lacking('START_BUDGET')],
      want: ['ok', 'All is well'],
    },
    {
      name: 'what is wanted and not requested counts',
      services: calm,
      templates: [lacking('CAP_REACHED')],
      want: ['warn', '1 needs a hand'],
    },
  ])('$name', ({ services, templates, want }) => {
    const { hue, words } = toVerdict(collectTrouble({ services, templates }));
    expect([hue, words]).toEqual(want);
  });

  it('is bad when a node is lost', () => {
    const nodes = [aNode('node-1'), aNode('node-2', { state: 'LOST' })];
    expect(toVerdict(collectTrouble({ services: calm, templates: [], nodes }))).toEqual({
      hue: 'bad',
      words: '1 needs a hand',
    });
  });
});

describe('collectTrouble', () => {
  it('tells a reason once: by the service that waits, else by the template, else by the order', () => {
    const waits = aService('lobby', 1, { state: 'REQUESTED', waiting: wait('CONFIGURE_MODE') });
    const noOrder = wait('CONFIGURE_MODE');
    const templates = [lacking('CONFIGURE_MODE')];
    const all = collectTrouble({ services: [waits], templates, noOrder });
    expect([all.groups.length, all.lacking.length, all.noOrder]).toEqual([1, 0, null]);
    const without = collectTrouble({ services: [], templates, noOrder });
    expect([without.lacking.length, without.noOrder]).toEqual([1, null]);
    const alone = collectTrouble({ services: [], templates: [], noOrder });
    expect(alone.noOrder).toEqual(noOrder);
    expect(toVerdict(alone).words).toBe('1 needs a hand');
  });
});
