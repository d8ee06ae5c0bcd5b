import { describe, expect, it } from 'vitest';
import { mergeNewest } from '#renderer/stores/activity.svelte.ts';
import { appendLines, MOST_LINES } from '#renderer/stores/console/service-console.svelte.ts';
import { indexOfService, mergeServices } from '#renderer/stores/service-delta.ts';
import type { ActivityEvent } from '#shared/model/event.ts';
import type { Service } from '#shared/model/service.ts';
import { aService } from '#test/support/app/models.ts';

describe('mergeServices (updates the list of services)', () => {
  const ids = (list: readonly Service[]): string[] => list.map(({ id }) => id);
  const first = mergeServices(null, {
    complete: true,
    services: [aService('lobby', 10), aService('lobby', 2), aService('arena', 1)],
    removed: [],
  });

  it('sorts services by template and number', () => {
    expect(ids(first)).toEqual(['arena-1', 'lobby-2', 'lobby-10']);
  });

  it('replaces only objects of services that have changed', () => {
    const next = mergeServices(first, {
      complete: false,
      services: [aService('lobby', 2, { state: 'IN_USE' }), aService('lobby', 3)],
      removed: ['lobby-10', 'lobby-99'],
    });
    expect(ids(next)).toEqual(['arena-1', 'lobby-2', 'lobby-3']);
    expect(next[indexOfService(next, 'lobby-2')]?.state).toBe('IN_USE');
    expect(next[0]).toBe(first[0]);
  });

  it('replaces the whole list with a complete answer', () => {
    const next = mergeServices(first, { complete: true, services: [aService('proxy', 1)], removed: [] });
    expect(ids(next)).toEqual(['proxy-1']);
  });

  it('has the same result for many small updates as for a large update', () => {
    const all = ['lobby', 'lobby-2', 'lobbya', 'a'].flatMap((template) =>
      Array.from({ length: 40 }, (_, n) => aService(template, n + 1)),
    );
    let list = mergeServices(null, { complete: true, services: [], removed: [] });
    for (let at = 0; at < all.length; at += 1) {
      const service = all[(at * 37) % all.length];
      if (service) list = mergeServices(list, { complete: false, services: [service], removed: [] });
    }
    expect(list).toEqual(mergeServices(null, { complete: true, services: all, removed: [] }));
    for (const { id } of all) expect(list[indexOfService(list, id)]?.id).toBe(id);
    expect(indexOfService(list, 'lobby-41')).toBe(-1);
    const less = mergeServices(list, { complete: false, services: [], removed: ['lobby-7', 'a-40'] });
    expect(less).toEqual(list.filter(({ id }) => id !== 'lobby-7' && id !== 'a-40'));
  });
});

describe('mergeNewest (updates the list of events)', () => {
  const events = (from: number, to: number): ActivityEvent[] =>
    Array.from({ length: from - to + 1 }, (_, at) => ({
      seq: from - at,
      at: 0,
      kind: 'service.running',
      subject: { type: 'service', id: 'lobby-1' },
      template: 'lobby',
      actor: 'overworld',
      message: '',
      cause: '',
    }));
  const seqs = (list: readonly ActivityEvent[]): number[] => list.map(({ seq }) => seq);

  it('puts new events first, each once', () => {
    expect(seqs(mergeNewest(events(300, 101), events(302, 103)))).toEqual(seqs(events(302, 101)));
  });

  it('drops the known events if there may be a gap before the new events', () => {
    expect(seqs(mergeNewest(events(300, 101), events(900, 701)))).toEqual(seqs(events(900, 701)));
  });

  it('keeps all events of a short list', () =>
    expect(seqs(mergeNewest(events(2, 1), events(3, 1)))).toEqual([3, 2, 1]));
});

describe('appendLines (adds lines to a console)', () => {
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => ({ seq: from + at, text: `line ${from + at}` }));

  it('adds each line only once', () => {
    expect(appendLines(lines(0, 5), lines(4, 7)).map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('keeps the newest lines if there are too many', () => {
    const all = appendLines(lines(0, MOST_LINES - 1), lines(MOST_LINES, MOST_LINES + 4));
    expect(all).toHaveLength(MOST_LINES);
    expect(all[0]?.seq).toBe(5);
  });
});
