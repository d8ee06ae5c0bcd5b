import { describe, expect, it } from 'vitest';
import type { ActivityEvent } from '#shared/model/event.ts';
import { decideNotes, FAILING_QUIET_MS, NO_MEMORY } from '#main/notifications/decide.ts';

const NOW = 1_800_000_000_000;
const all = { failures: true, nodes: true, playerLimit: true };
let seq = 0;

function event(kind: ActivityEvent['kind'], id: string, rest: Partial<ActivityEvent> = {}): ActivityEvent {
  seq += 1;
  return {
    ...{ seq, at: NOW - 1000, kind, actor: 'overworld', cause: '' },
    ...{ subject: { type: 'service', id }, template: null, message: `${id} did something` },
    ...rest,
  };
}
const failed = (id: string, template: string, at = NOW - 1000): ActivityEvent =>
  event('service.failed', id, { template, at, message: `${id} failed`, cause: 'no EULA' });
const told = (events: readonly ActivityEvent[], situation: Partial<Parameters<typeof decideNotes>[1]> = {}) =>
  decideNotes(events, { preferences: all, memory: NO_MEMORY, now: NOW, ...situation });
const titles = (...given: Parameters<typeof told>) => told(...given).notes.map(({ title }) => title);

describe('the system notifications of the app', () => {
  it('name the failing service and the reason, and open the service on a click', () => {
    expect(told([failed('lobby-1', 'lobby')]).notes).toEqual([
      { title: 'Service lobby-1 is failing', body: 'lobby-1 failed: no EULA', route: 'services/lobby-1' },
    ]);
  });

  it('contain the cause in parentheses after a message of complete sentences', () => {
    const whole = event('service.failed', 'lobby-1', {
      message: 'It ended. Read its log.',
      cause: 'attempt 1',
    });
    expect(told([whole]).notes.map(({ body }) => body)).toEqual(['It ended. Read its log. (attempt 1)']);
  });

  it('make invisible characters visible that could disguise a name', () => {
    const [note] = told([event('node.lost', 'n-\u202E1', { message: 'n-\u202E1 is gone' })]).notes;
    expect(note).toMatchObject({ title: 'Node n-⟨202E⟩1 is lost', body: 'n-⟨202E⟩1 is gone' });
  });

  it('appear for a template that is called like a property of each object', () => {
    expect(titles([failed('constructor-1', 'constructor')])).toEqual(['Service constructor-1 is failing']);
  });

  it('combine all failing services of a template', () => {
    const notes = told([
      failed('lobby-1', 'lobby'),
      failed('lobby-2', 'lobby'),
      failed('arena-1', 'arena'),
    ]).notes;
    expect(notes.map(({ title, route }) => [title, route])).toEqual([
      ['2 services of lobby are failing', 'templates/lobby/services'],
      ['Service arena-1 is failing', 'services/arena-1'],
    ]);
  });

  it('appear again for failures of the same template after five minutes at the earliest', () => {
    const first = told([failed('lobby-1', 'lobby')]);
    const soon = NOW + FAILING_QUIET_MS - 1;
    expect(titles([failed('lobby-2', 'lobby', soon)], { memory: first.memory, now: soon })).toEqual([]);
    expect(titles([failed('arena-1', 'arena', soon)], { memory: first.memory, now: soon })).toHaveLength(1);
    const later = NOW + FAILING_QUIET_MS;
    expect(titles([failed('lobby-2', 'lobby', later)], { memory: first.memory, now: later })).toHaveLength(1);
  });

  it.each<[string, Partial<typeof all>, number]>([
    ['all kinds are on', {}, 4],
    ['failures are off, which includes trouble of the master', { failures: false }, 2],
    ['nodes are off', { nodes: false }, 3],
    ['the player limit is off', { playerLimit: false }, 3],
  ])('respect the preferences of the user: %s', (_sentence, change, count) => {
    const events = [
      failed('lobby-1', 'lobby'),
      event('node.lost', 'n-1'),
      event('network.limit-reached', 'network'),
      event('master.trouble', 'master'),
    ];
    expect(titles(events, { preferences: { ...all, ...change } })).toHaveLength(count);
  });

  it('appear for the second failure if they were switched off during the first', () => {
    const silent = told([failed('lobby-1', 'lobby')], { preferences: { ...all, failures: false } });
    expect(titles([failed('lobby-1', 'lobby')], { memory: silent.memory })).toHaveLength(1);
  });

  it('open the screen of the event on a click', () => {
    const events = [
      event('node.lost', 'n-1'),
      event('network.limit-reached', 'x'),
      event('master.trouble', 'y'),
    ];
    expect(told(events).notes.map(({ route }) => route)).toEqual(['nodes/n-1', 'overview', 'activity']);
  });

  it('combine events about several silent plugins, and include problems with HAProxy', () => {
    const silent = (id: string) =>
      event('service.plugin-silent', id, { message: `The plugin of ${id} is not heard any more.` });
    expect(told([silent('proxy-1')]).notes).toEqual([
      {
        title: 'The plugin of proxy-1 is silent',
        body: 'The plugin of proxy-1 is not heard any more.',
        route: 'services/proxy-1/details',
      },
    ]);
    expect(titles([silent('proxy-1'), silent('proxy-2')])).toEqual(['The plugins of 2 services are silent']);
    expect(told([event('balancer.trouble', 'haproxy')]).notes.map(({ route }) => route)).toEqual([
      'overview/player-entry',
    ]);
    const quiet = { preferences: { ...all, failures: false } };
    expect(titles([silent('proxy-1'), event('balancer.trouble', 'haproxy')], quiet)).toEqual([]);
  });

  it('do not appear for events that need no attention', () => {
    expect(titles([event('service.running', 'lobby-1'), event('config.changed', 'master')])).toEqual([]);
  });

  it('contain the first three of many events, and the number of the others', () => {
    const events = Array.from({ length: 9 }, (_, n) => failed(`t${n}-1`, `t${n}`));
    expect(titles(events)).toEqual([
      'Service t0-1 is failing',
      'Service t1-1 is failing',
      'Service t2-1 is failing',
      '6 more problems',
    ]);
  });
});
