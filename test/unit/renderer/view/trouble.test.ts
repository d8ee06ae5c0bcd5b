import { describe, expect, it } from 'vitest';
import { collectTrouble, groupTrouble, toNetworkStatus, type NetworkStatus } from '#renderer/view/trouble.ts';
import type { Template } from '#shared/model/template.ts';
import type { Wait, WaitReason } from '#shared/model/wait.ts';
import type { VolumeTrouble } from '#renderer/view/volume.ts';
import type { JoinFix, JoinProblemReason, PlayerEntry } from '#shared/model/player-entry.ts';
import { aNode, aService, aTemplate, aPlayerEntry, aVolume } from '#test/support/app/models.ts';

const wait = (reason: WaitReason): Wait => ({ reason, message: `Because of ${reason}.`, until: null });
const lacking = (reason: WaitReason): Template =>
  aTemplate('lobby', {}, { unmet: { missing: 2, wait: wait(reason) } });
const waiting = wait('SERVER_JAR_MISSING');

describe('groupTrouble (groups the problems of services)', () => {
  it('groups the services of a template by reason, with the largest group first', () => {
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

describe('a failed service', () => {
  const failure = {
    at: 1,
    attempts: 3,
    error: { code: 'SERVICE_EXITED', category: 'service', retry: true, message: 'It exited.', details: {} },
  } as const;

  it.each(['REQUESTED', 'PREPARING', 'STARTING'] as const)(
    'still counts as a problem while it is %s again',
    (state) => {
      const service = aService('lobby', 1, { state, failure });
      expect(groupTrouble([service])).toEqual([{ service, others: 0 }]);
    },
  );
});

describe('toNetworkStatus (status badge of the network)', () => {
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
    { name: 'is ok if nothing waits or fails', services: calm, templates: [], want: ['ok', 'No problems'] },
    {
      name: 'warns if a service waits',
      services: [...calm, waits],
      templates: [],
      want: ['warn', '1 problem'],
    },
    {
      name: 'takes the worst problem',
      services: [waits, silent],
      templates: [],
      want: ['bad', '2 problems'],
    },
    {
      name: 'counts a faulty template',
      services: calm,
      templates: [faulty],
      want: ['bad', '1 problem'],
    },
    {
      name: 'does not count paused services and templates',
      services: [...calm, aService('lobby', 5, { state: 'REQUESTED', held: true, waiting: wait('HELD') })],
      templates: [aTemplate('lobby', {}, { held: true, unmet: { missing: 1, wait: wait('HELD') } })],
      want: ['ok', 'No problems'],
    },
    {
      name: 'does not count temporary reasons',
      services: calm,
      templates: [lacking('START_BUDGET')],
      want: ['ok', 'No problems'],
    },
    {
      name: 'counts missing services that are not requested',
      services: calm,
      templates: [lacking('CAP_REACHED')],
      want: ['warn', '1 problem'],
    },
  ])('$name', ({ services, templates, want }) => {
    const { hue, words } = toNetworkStatus(collectTrouble({ services, templates }));
    expect([hue, words]).toEqual(want);
  });

  it('counts nodes on which services fail to start, and nodes that only configure mode keeps', () => {
    const keep = { reason: 'CONFIGURE_MODE', message: 'It is not needed.' } as const;
    const backoff = { message: 'The disk is full.', until: 5 };
    const found = collectTrouble({
      services: [],
      templates: [],
      nodes: [
        aNode('node-1', { keep }),
        aNode('node-2', { backoff }),
        aNode('node-3', { keep: { ...keep, reason: 'NEEDED' } }),
        aNode('node-4', { state: 'LOST', keep }),
      ],
    });
    expect(found.nodes.map(({ id }) => id)).toEqual(['node-4', 'node-1', 'node-2']);
    expect(toNetworkStatus({ ...found, nodes: found.nodes.slice(1) })).toEqual({
      hue: 'warn',
      words: '2 problems',
    });
  });

  it('warns if a volume is nearly full, and is "bad" if it cannot be saved', () => {
    const found = collectTrouble({ services: [], templates: [] });
    const volume = aVolume('survival-1');
    const hueOf = (state: VolumeTrouble['state']): string =>
      toNetworkStatus({ ...found, volumes: [{ volume, state, message: '' }] }).hue;
    expect(hueOf('nearly-full')).toBe('warn');
    expect(hueOf('failed')).toBe('bad');
  });

  it('is "bad" if a node is lost', () => {
    const nodes = [aNode('node-1'), aNode('node-2', { state: 'LOST' })];
    expect(toNetworkStatus(collectTrouble({ services: calm, templates: [], nodes }))).toEqual({
      hue: 'bad',
      words: '1 problem',
    });
  });
});

describe('toNetworkStatus, if players cannot join,', () => {
  const services = [aService('lobby', 1)];
  const verdict = (...problems: PlayerEntry['problems']) =>
    toNetworkStatus(collectTrouble({ services, templates: [], playerEntry: aPlayerEntry({ problems }) }));
  const problem = (reason: JoinProblemReason, fix: JoinFix | null = 'start-service') => ({
    ...{ reason, fix, template: 'lobby' },
    message: 'Nobody lands.',
  });

  it.each<[string, PlayerEntry['problems'], NetworkStatus]>([
    ['no fallback runs', [problem('NO_FALLBACK')], { hue: 'bad', words: 'Players cannot join' }],
    [
      'a fallback is starting',
      [problem('NO_FALLBACK', null)],
      { hue: 'warn', words: 'Players cannot join yet' },
    ],
    ['there is no proxy', [problem('NO_PROXY_TEMPLATE')], { hue: 'bad', words: 'Players cannot join' }],
    ['the entry is closed', [problem('ENTRY_CLOSED')], { hue: 'bad', words: 'Players cannot join' }],
    ['the network is full', [problem('NETWORK_FULL')], { hue: 'warn', words: 'No room for more players' }],
    [
      'all fallbacks are full',
      [problem('FALLBACKS_FULL')],
      { hue: 'warn', words: 'No room for more players' },
    ],
    [
      'several things are wrong',
      [problem('FALLBACKS_FULL'), problem('NO_PROXY')],
      { hue: 'bad', words: 'Players cannot join, 2 problems' },
    ],
  ])('has the expected severity and text when %s', (_, problems, want) => {
    expect(verdict(...problems)).toEqual(want);
  });
});

describe('collectTrouble (collects all problems of the network)', () => {
  it('shows a reason once: at the service, or at the template, or at the missing order', () => {
    const waits = aService('lobby', 1, { state: 'REQUESTED', waiting: wait('CONFIGURE_MODE') });
    const noOrder = wait('CONFIGURE_MODE');
    const templates = [lacking('CONFIGURE_MODE')];
    const all = collectTrouble({ services: [waits], templates, noOrder });
    expect([all.groups.length, all.lacking.length, all.noOrder]).toEqual([1, 0, null]);
    const without = collectTrouble({ services: [], templates, noOrder });
    expect([without.lacking.length, without.noOrder]).toEqual([1, null]);
    const alone = collectTrouble({ services: [], templates: [], noOrder });
    expect(alone.noOrder).toEqual(noOrder);
    expect(toNetworkStatus(alone).words).toBe('1 problem');
  });

  it('shows a failed save once: at the volume, not also at the template that waits for it', () => {
    const templates = [lacking('VOLUME_UNSAVABLE')];
    const volumes = [aVolume('lobby/1', { problem: 'Raise the quota.' })];
    const both = collectTrouble({ services: [], templates, volumes });
    expect([both.lacking.length, both.volumes.length]).toEqual([0, 1]);
    expect(collectTrouble({ services: [], templates }).lacking).toHaveLength(1);
  });
});

it('a failed backup counts as one problem and makes the status "bad"', () => {
  const found = collectTrouble({ services: [], templates: [], backup: 'The backup failed.' });
  expect(found.backup).toBe('The backup failed.');
  expect(toNetworkStatus(found)).toEqual({ hue: 'bad', words: '1 problem' });
  expect(toNetworkStatus(collectTrouble({ services: [], templates: [], backup: null })).hue).toBe('ok');
});
