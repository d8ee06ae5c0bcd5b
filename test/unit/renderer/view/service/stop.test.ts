import { describe, expect, it } from 'vitest';
import type { Service } from '#shared/model/service.ts';
import type { TemplateConfig } from '#shared/config/template.ts';
import { playersAfterStopWords, playersAfterStop } from '#renderer/view/service/players-after-stop.ts';
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

describe('stopConsequence (describes the effect of a stop)', () => {
  it('says what happens to the players, and that the minimum causes a new service', () => {
    expect(consequence([playing], { config: { minimumRunningServers: 1 } })).toBe(
      '3 players are disconnected, as no fallback has room. It is asked to stop. If that takes too long, it is killed. The minimum of the template is 1, so a new one will start.',
    );
  });

  it("counts a player once, even if the player's proxy is stopped, too", () => {
    const proxy = aService('proxy', 1, { state: 'IN_USE', players: { online: 4, max: 100 } });
    expect(consequence([playing, proxy])).toMatch(
      /^4 players are disconnected, as their proxy stops\. Each is asked to stop/,
    );
  });

  it('does not say that data is saved, because the folder is deleted', () => {
    for (const kill of [true, false])
      expect(consequence([playing, a(2)], { kill })).not.toMatch(/\bsave|unsaved/i);
    expect(consequence([playing], { kill: true })).toContain('The process is killed immediately.');
  });

  it('does not mention the minimum if the other services reach it, or if the template is paused', () => {
    const config = { minimumRunningServers: 1 };
    expect(consequence([playing], { config, others: [a(2)] })).not.toContain('minimum');
    expect(consequence([playing], { config, held: true })).not.toContain('minimum');
  });

  it('counts services that are starting towards the minimum, but no services in use', () => {
    const config = { minimumRunningServers: 1 };
    expect(consequence([a(1)], { config, others: [a(2, { state: 'STARTING' })] })).not.toContain('minimum');
    expect(consequence([a(1)], { config, others: [{ ...playing, id: 'lobby-2' }] })).toContain(
      'The minimum of the template is 1, so a new one will start.',
    );
  });

  it('says that a paused service stays in the list and is not replaced', () => {
    const config = { minimumRunningServers: 1 };
    expect(consequence([a(1, { held: true })], { config })).toBe(
      'No players are on it now. It is asked to stop. If that takes too long, it is killed. Its automation is paused, so it stays in the list, still counts, and does not start again until that is resumed.',
    );
    expect(consequence([a(1, { held: true }), a(2)], { config })).toContain(
      'Automation of one of them is paused, so it stays',
    );
  });

  it('says that a paused service without a process is removed', () => {
    expect(consequence([listed(1)], { config: { minimumRunningServers: 1 } })).toBe(
      'It does not run. It is removed from the list and no longer counts. The minimum of the template is 1, so a new one will start.',
    );
    expect(consequence([listed(1), listed(2)])).toBe(
      'They do not run: they are removed from the list and no longer count.',
    );
    expect(consequence([listed(1), playing])).toContain('1 of them does not run');
  });

  it('counts a paused service without a process towards the minimum', () => {
    expect(consequence([a(1)], { config: { minimumRunningServers: 1 }, others: [listed(2)] })).not.toContain(
      'minimum',
    );
  });

  it('says that a start is cancelled if the service has no process yet', () => {
    expect(consequence([a(1, { state: 'REQUESTED' })])).toBe('It is cancelled before starting.');
  });
});

describe('the players on services that the user stops', () => {
  const proxy = aService('proxy', 1, { state: 'IN_USE', players: { online: 3, max: 100 } });
  const hub = (online: number, rest: Partial<Service> = {}): Service =>
    aService('hub', 1, { players: { online, max: 10 }, ...rest });
  const words = (
    stopped: readonly Service[],
    others: readonly Service[],
    hubConfig: Partial<TemplateConfig> = {},
  ) =>
    playersAfterStopWords(
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
      'the fallback has room for some of them',
      [proxy, hub(8)],
      {},
      '2 players are moved to a fallback, 1 is disconnected, as no fallback has room.',
    ],
    ['the fallback is full', [proxy, hub(10)], {}, disconnected],
    ['the fallback is starting', [proxy, hub(0, { state: 'STARTING' })], {}, disconnected],
    [
      'the fallback is draining',
      [proxy, hub(0, { draining: { since: 1, cause: 'x', until: null } })],
      {},
      disconnected,
    ],
    ['the fallback requires a permission to join', [proxy, hub(0)], { joinPermission: 'vip' }, disconnected],
    ['no proxy can move them', [hub(0)], {}, disconnected],
  ])('are moved or disconnected if %s', (...row) => {
    const [, others, config, want] = row;
    expect(words([playing], others, config)).toBe(want);
  });

  it('can be moved within a time limit, whose label depends on the number of services', () => {
    expect(drainDeadlineLabel(1, false)).toBe('If players are moved first, it stops');
    expect(drainDeadlineLabel(400, false)).toBe('If players are moved first, they stop');
    expect(drainDeadlineLabel(1, true)).toBe('If it is drained, it stops');
    expect(drainDeadlineLabel(2, true)).toBe('If they are drained, they stop');
  });

  it('are disconnected if their proxy or the only fallback is stopped, too', () => {
    expect(words([proxy], [playing, hub(0)])).toBe('3 players are disconnected, as their proxy stops.');
    expect(words([playing, hub(0)], [proxy])).toBe(disconnected);
  });
});

describe('typedCount (number that the user has to type before a stop)', () => {
  it('is required before 20 or more services are killed, or 100 or more services are stopped', () => {
    expect([typedCount(19, true), typedCount(20, true)]).toEqual([undefined, '20']);
    expect([typedCount(99, false), typedCount(312, false)]).toEqual([undefined, '312']);
  });
});

describe('stopVerb (label of the button that stops services)', () => {
  it.each([
    { says: 'is Stop for a running service', services: [a(1)], kill: false, want: 'Stop' },
    { says: 'is Kill if the user chose to kill the service', services: [a(1)], kill: true, want: 'Kill' },
    {
      says: 'is Remove for a paused service that does not run',
      services: [listed(1)],
      kill: false,
      want: 'Remove',
    },
    {
      says: 'is Stop for a paused service that has failed and still has its files on a node',
      services: [a(1, { state: 'REQUESTED', held: true })],
      kill: false,
      want: 'Stop',
    },
    { says: 'is Stop if some services run', services: [listed(1), a(2)], kill: false, want: 'Stop' },
  ])('$says', ({ services, kill, want }) => expect(stopVerb(services, kill)).toBe(want));
});
