import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Link } from '#shared/ipc/contract.ts';
import type { ActivityEvent } from '#shared/model/event.ts';
import type { MethodName, Params, Result } from '#shared/rpc/contract.ts';
import { MAX_EVENT_AGE_MS } from '#main/notifications/new-events.ts';
import { LINK_LOST_MS, NotificationWatch, type ShownNote } from '#main/notifications/watch.ts';
import { aLink } from '#test/support/app/models.ts';

/** The master's side of the link, simulated because these tests control when the link is lost and returns. */
class Side {
  link: Link = aLink({ generation: 1, run: 'c-1 1' });
  events: ActivityEvent[] = [];
  readonly asked: unknown[] = [];

  call<M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>> {
    this.asked.push([method, params]);
    return Promise.resolve([...this.events].reverse() as Result<M>);
  }

  failed(template: string, at = Date.now()): void {
    const seq = this.events.length + 1;
    const id = `${template}-1`;
    this.events.push({
      ...{ seq, at, kind: 'service.failed', actor: 'overworld', cause: '', template },
      ...{ subject: { type: 'service', id }, message: `${id} failed` },
    });
  }
}

let side: Side;
let notes: ShownNote[];
let seen: boolean;
let watch: NotificationWatch;
beforeEach(() => {
  vi.useFakeTimers();
  side = new Side();
  notes = [];
  seen = false;
  watch = new NotificationWatch({
    link: side,
    log: pino({ level: 'silent' }),
    preferences: () => ({ failures: true, nodes: true, playerLimit: true }),
    isSeen: () => seen,
    show: (note) => notes.push(note),
  });
});
afterEach(() => {
  watch.close();
  vi.useRealTimers();
});

async function applyLinkState(link: Partial<Link> = {}): Promise<void> {
  side.link = { ...side.link, ...link };
  watch.applyLink(side.link);
  await vi.advanceTimersByTimeAsync(1000);
}
async function stale(): Promise<void> {
  watch.handleNotification({ name: 'stale', params: { topics: ['activity'] } });
  await vi.advanceTimersByTimeAsync(1000);
}

describe('NotificationWatch (decides when to notify the user)', () => {
  it('notifies about events after its start, not about earlier events', async () => {
    side.failed('lobby');
    await applyLinkState();
    expect(notes).toEqual([]);
    side.failed('arena');
    await stale();
    expect(notes.map(({ title }) => title)).toEqual(['Service arena-1 is failing']);
    await stale();
    expect(notes).toHaveLength(1);
  });

  it('names the connection that events and a lost link belong to', async () => {
    await applyLinkState({ connection: 'home' });
    side.failed('arena');
    await stale();
    await applyLinkState({ status: 'waiting' });
    await vi.advanceTimersByTimeAsync(LINK_LOST_MS);
    await applyLinkState({ connection: 'other', status: 'connected', generation: 2, run: 'c-2 1' });
    expect(notes.map(({ route, connection }) => [route, connection])).toEqual([
      ['services/arena-1', 'home'],
      ['overview', 'home'],
    ]);
  });

  it('does not notify about events while the window is visible', async () => {
    await applyLinkState();
    seen = true;
    side.failed('arena');
    await stale();
    seen = false;
    await stale();
    expect(notes).toEqual([]);
  });

  it('notifies after a reconnect about events that occurred in between', async () => {
    await applyLinkState();
    await applyLinkState({ status: 'waiting' });
    side.failed('arena');
    await applyLinkState({ status: 'connected', generation: 2 });
    expect(notes.map(({ title }) => title)).toEqual(['Service arena-1 is failing']);
    side.failed('lobby');
    await applyLinkState({ generation: 3, run: 'c-2 1', connection: 'other' });
    expect(notes, 'events of another master are history to us').toHaveLength(1);
  });

  it('notifies about new events after the master was restored from a backup with fewer events', async () => {
    for (const template of ['a', 'b', 'c', 'd']) side.failed(template);
    await applyLinkState();
    side.events.splice(2);
    await applyLinkState({ generation: 2, run: 'c-1 2' });
    expect(notes).toEqual([]);
    side.failed('arena');
    await stale();
    expect(notes.map(({ title }) => title)).toEqual(['Service arena-1 is failing']);
  });

  it('notifies even if the clock of the master is far behind', async () => {
    await applyLinkState();
    side.failed('arena', Date.now() - 2 * MAX_EVENT_AGE_MS);
    await stale();
    expect(notes.map(({ title }) => title)).toEqual(['Service arena-1 is failing']);
  });

  it('notifies after a reconnect about new events of a master whose clock is 20 min behind', async () => {
    const clockOffsetMs = -20 * 60_000;
    await applyLinkState({ clockOffsetMs });
    side.failed('lobby', Date.now() + clockOffsetMs - 2 * MAX_EVENT_AGE_MS);
    side.failed('arena', Date.now() + clockOffsetMs);
    await applyLinkState({ generation: 2 });
    expect(notes.map(({ title }) => title)).toEqual(['Service arena-1 is failing']);
  });

  it('does not notify about old events after the computer has slept for a day', async () => {
    await applyLinkState();
    side.failed('lobby', Date.now() - 2 * MAX_EVENT_AGE_MS);
    side.failed('arena');
    await applyLinkState({ generation: 2 });
    expect(notes.map(({ title }) => title)).toEqual(['Service arena-1 is failing']);
  });

  it('notifies if the connection has been lost for 30 s', async () => {
    await applyLinkState();
    await applyLinkState({ status: 'waiting' });
    await vi.advanceTimersByTimeAsync(LINK_LOST_MS - 2000);
    expect(notes).toEqual([]);
    await vi.advanceTimersByTimeAsync(2000);
    await applyLinkState({ status: 'connecting' });
    await vi.advanceTimersByTimeAsync(LINK_LOST_MS * 2);
    expect(notes.map(({ title }) => title)).toEqual(['No connection to This computer for 30 s']);
    await applyLinkState({ status: 'connected', generation: 2 });
    await applyLinkState({ status: 'waiting' });
    await applyLinkState({ status: 'connected', generation: 3 });
    await vi.advanceTimersByTimeAsync(LINK_LOST_MS * 2);
    expect(notes).toHaveLength(1);
  });

  it('does not notify about the lost connection when the user switches to another master', async () => {
    await applyLinkState();
    await applyLinkState({ connection: 'other', status: 'connecting', generation: 1 });
    await vi.advanceTimersByTimeAsync(LINK_LOST_MS * 2);
    expect(notes).toEqual([]);
  });
});
