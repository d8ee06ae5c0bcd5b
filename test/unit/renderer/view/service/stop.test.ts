import { describe, expect, it } from 'vitest';
import type { Service } from '#shared/model/service.ts';
import type { TemplateConfig } from '#shared/config/template.ts';
import { fateWords, playersAfterStop } from '#renderer/view/service/players-after-stop.ts';
import { drainDeadlineLabel, stopConsequence, stopVerb, typedCount } from '#renderer/view/service/stop.ts';
import { aService, aTemplate } from '#test/support/app/models.ts';

const a = (n: number, rest: Partial<Service> = {}): Service => aService('lobby', n, rest);
const heldWait = { reason: 'HELD', message: 'Held.', until: null } as const;
const listed = (n: number): Service =>
  a(n, { state: 'REQUESTED', held: true, waiting: heldWait, node: null });
const playing = a(1, { state: 'IN_USE', players: { online: 3, max: 20 } });

function consequence(
  services: readonly Service[],
  of: { kill?: boolean; config?: Partial<TemplateConfig>; held?: boolean; others?: readonly Service[] } = {},
): string {
  const template = aTemplate(
    'lobby',
    { isProxy: false, minimumRunningServers: 0, ...of.config },
    { held: of.held ?? false },
  );
  return stopConsequence(services, {
    kill: of.kill ?? false,
    template,
    network: {
      services: [...services, ...(of.others ?? [])],
      templates: [template, aTemplate('proxy', { isProxy: true })],
    },
  });
}

describe('stopConsequence', () => {
  it('says where players go and what the minimum starts again', () => {
    expect(consequence([playing], { config: { minimumRunningServers: 1 } })).toBe(
      '3 players are disconnected, as no fallback has room. It saves and stops. If that takes too long, it is killed. The minimum of the template is 1, so a new one will start.',
    );
  });

  it('counts each player once if proxies are stopped, too', () => {
    const proxy = aService('proxy', 1, { state: 'IN_USE', players: { online: 4, max: 100 } });
    expect(consequence([playing, proxy])).toMatch(
      /^4 players are disconnected, as their proxy stops\. Each saves and stops/,
    );
  });

  it('says that unsaved data is lost on a kill', () => {
    expect(consequence([playing], { kill: true })).toContain('Unsaved data is lost');
  });

  it('does not mention the minimum while it is met, or its template is paused', () => {
    const config = { minimumRunningServers: 1 };
    expect(consequence([playing], { config, others: [a(2)] })).not.toContain('minimum');
    expect(consequence([playing], { config, held: true })).not.toContain('minimum');
  });

  it('says that a paused service stays and prevents replacements', () => {
    const config = { minimumRunningServers: 1 };
    expect(consequence([a(1, { held: true })], { config })).toBe(
      'No players are on it now. It saves and stops. If that takes too long, it is killed. Its automation is paused, so it stays in the list, still counts, and does not start again until that is resumed.',
    );
    expect(consequence([a(1, { held: true }), a(2)], { config })).toContain(
      'Automation of one of them is paused, so it stays',
    );
  });

  it('explains the removal of a paused service that does not run', () => {
    expect(consequence([listed(1)], { config: { minimumRunningServers: 1 } })).toBe(
      'It does not run. It is removed from the list and no longer counts. The minimum of the template is 1, so a new one will start.',
    );
    expect(consequence([listed(1), listed(2)])).toBe(
      'They do not run: they are removed from the list and no longer count.',
    );
    expect(consequence([listed(1), playing])).toContain('1 of them does not run');
  });

  it('counts a paused service that waits as present', () => {
    expect(consequence([a(1)], { config: { minimumRunningServers: 1 }, others: [listed(2)] })).not.toContain(
      'minimum',
    );
  });

  it('does not mention saving if nothing runs', () => {
    expect(consequence([a(1, { state: 'REQUESTED' })])).toBe('It is cancelled before starting.');
  });
});

describe('players of stopped services', () => {
  const proxy = aService('proxy', 1, { state: 'IN_USE', players: { online: 3, max: 100 } });
  const hub = (online: number, rest: Partial<Service> = {}): Service =>
    aService('hub', 1, { players: { online, max: 10 }, ...rest });
  const words = (
    stopped: readonly Service[],
    others: readonly Service[],
    hubConfig: Partial<TemplateConfig> = {},
  ) =>
    fateWords(
      playersAfterStop(stopped, {
        services: [...stopped, ...others],
        templates: [
          aTemplate('lobby', { isProxy: false }),
          aTemplate('hub', { isProxy: false, isFallback: true, ...hubConfig }),
          aTemplate('proxy', { isProxy: true }),
        ],
      }),
    );
  const moved = '3 players are moved to a fallback with room.';
  const disconnected = '3 players are disconnected, as no fallback has room.';

  it.each<[string, readonly Service[], Partial<TemplateConfig>, string]>([
    ['a fallback with room runs', [proxy, hub(7)], {}, moved],
    [
      'it has room for some',
      [proxy, hub(8)],
      {},
      '2 players are moved to a fallback, 1 is disconnected, as no fallback has room.',
    ],
    ['it is full', [proxy, hub(10)], {}, disconnected],
    ['it is starting', [proxy, hub(0, { state: 'STARTING' })], {}, disconnected],
    [
      'it is draining',
      [proxy, hub(0, { draining: { since: 1, cause: 'x', until: null } })],
      {},
      disconnected,
    ],
    ['it requires a permission to join', [proxy, hub(0)], { joinPermission: 'vip' }, disconnected],
    ['no proxy can move them', [hub(0)], {}, disconnected],
  ])('are moved or disconnected when %s', (...row) => {
    const [, others, config, want] = row;
    expect(words([playing], others, config)).toBe(want);
  });

  it('get a time limit, worded for one service or several', () => {
    expect(drainDeadlineLabel(1, false)).toBe('If players are moved first, it stops');
    expect(drainDeadlineLabel(400, false)).toBe('If players are moved first, they stop');
    expect(drainDeadlineLabel(1, true)).toBe('If it is drained, it stops');
    expect(drainDeadlineLabel(2, true)).toBe('If they are drained, they stop');
  });

  it('are disconnected with their proxy, and not moved to a fallback that stops, too', () => {
    expect(words([proxy], [playing, hub(0)])).toBe('3 players are disconnected, as their proxy stops.');
    expect(words([playing, hub(0)], [proxy])).toBe(disconnected);
  });
});

describe('typedCount', () => {
  it('is required to kill many services or to stop very many', () => {
    expect([typedCount(19, true), typedCount(20, true)]).toEqual([undefined, '20']);
    expect([typedCount(99, false), typedCount(312, false)]).toEqual([undefined, '312']);
  });
});

describe('stopVerb', () => {
  it.each([
    { says: 'stops a running service', services: [a(1)], kill: false, want: 'Stop' },
    { says: 'kills on request', services: [a(1)], kill: true, want: 'Kill' },
    {
      says: 'removes a paused service that does not run',
      services: [listed(1)],
      kill: false,
      want: 'Remove',
    },
    { says: 'stops if some of them run', services: [listed(1), a(2)], kill: false, want: 'Stop' },
  ])('$says', ({ services, kill, want }) => expect(stopVerb(services, kill)).toBe(want));
});
