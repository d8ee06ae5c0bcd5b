import { describe, expect, it } from 'vitest';
import { MAX_EVENT_AGE_MS, pickNewEvents, type SeenEvents } from '#main/notifications/new-events.ts';
import { anEvent } from '#test/support/app/models.ts';

const NOW = 1_800_000_000_000;
const OLD = NOW - MAX_EVENT_AGE_MS - 1;
const last: SeenEvents = { run: 'c-1 1', generation: 1, seq: 3 };

const events = (seqs: readonly number[], at = NOW) => seqs.map((seq) => anEvent({ seq, at }));
function picked(before: SeenEvents | null, read: Partial<Parameters<typeof pickNewEvents>[1]>) {
  const { seen, events: found } = pickNewEvents(before, { ...last, events: [], now: NOW, ...read });
  return { seq: seen.seq, new: found.map(({ seq }) => seq) };
}

describe('pickNewEvents (events that are new since the last read)', () => {
  it('returns no events in the first read of a master', () => {
    expect(picked(null, { events: events([1, 2]) })).toEqual({ seq: 2, new: [] });
    expect(picked(null, { events: [] })).toEqual({ seq: -1, new: [] });
    expect(picked(last, { run: 'c-2 1', events: events([8, 9]) })).toEqual({ seq: 9, new: [] });
  });

  it('returns the events with higher numbers, also after a restart of the master', () => {
    expect(picked(last, { events: events([5, 4, 3]) })).toEqual({ seq: 5, new: [5, 4] });
    expect(picked(last, { run: 'c-1 2', generation: 2, events: events([5, 4, 3]) })).toEqual({
      ...{ seq: 5, new: [5, 4] },
    });
  });

  it('continues from the lower number of a restored master, or from the start if its log is empty', () => {
    expect(picked(last, { run: 'c-1 2', events: events([2, 1]) })).toEqual({ seq: 2, new: [] });
    expect(picked(last, { run: 'c-1 2', events: [] })).toEqual({ seq: -1, new: [] });
  });

  it('keeps the number of the last read if the answer of the same process is older', () => {
    expect(picked(last, { events: events([2, 1]) })).toEqual({ seq: 3, new: [] });
  });

  it('ignores old events in the first read after a connect, but returns all events in later reads', () => {
    const both = [...events([4], OLD), ...events([5])];
    expect(picked(last, { generation: 2, events: both })).toEqual({ seq: 5, new: [5] });
    expect(picked(last, { events: both })).toEqual({ seq: 5, new: [4, 5] });
  });
});
