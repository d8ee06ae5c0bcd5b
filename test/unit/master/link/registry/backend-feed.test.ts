import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_MASTER_LINE_BYTES, masterMessageSchema, type Backend } from '#shared/link/messages.ts';
import { BackendFeed } from '#master/link/registry/backend-feed.ts';
import { backend } from '#test/support/link/link-fixture.ts';

/** Applies lines of the feed to the backend list of a plugin. Returns `done` of each line. */
function take(known: Map<string, Backend>, lines: readonly Buffer[]): boolean[] {
  return lines.map((line) => {
    expect(line.length).toBeLessThanOrEqual(MAX_MASTER_LINE_BYTES);
    const message = masterMessageSchema.parse(JSON.parse(line.toString()));
    if (message.type !== 'backends') throw new Error('not of the list');
    if (message.reset) known.clear();
    for (const one of message.put) known.set(one.id, one);
    for (const id of message.gone) known.delete(id);
    return message.done;
  });
}

describe('the list of game servers that plugins receive from the master', () => {
  it('is complete after an update, however many changes the plugin has missed', () => {
    const list = fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 9 });
    const state = fc.record({ list, players: fc.nat(3), reads: fc.subarray([0, 1, 2]) });
    fc.assert(
      fc.property(fc.array(state, { maxLength: 20 }), (states) => {
        const feed = new BackendFeed();
        const plugins = [0, 1, 2].map(() => ({
          at: null as number | null,
          known: new Map<string, Backend>(),
        }));
        for (const { list: numbers, players, reads } of states) {
          const now = numbers.map((number) =>
            backend(`game-${number}`, { players: number % 2 === 0 ? players : 0 }),
          );
          feed.set(now);
          for (const plugin of plugins.filter((_, index) => reads.includes(index))) {
            const done = take(plugin.known, feed.linesSince(plugin.at));
            expect(done.slice(0, -1)).not.toContain(true);
            expect(done.at(-1) ?? true).toBe(true);
            plugin.at = feed.version;
            expect([...plugin.known.values()].sort(byId)).toEqual([...now].sort(byId));
          }
        }
      }),
    );
  });

  it('is sent in full to a plugin that has missed too many removals of game servers', () => {
    const feed = new BackendFeed();
    const known = new Map<string, Backend>();
    feed.set([backend('old-1')]);
    take(known, feed.linesSince(null));
    const at = feed.version;
    for (let round = 0; round < 12; round++) {
      feed.set(Array.from({ length: 1_000 }, (_, index) => backend(`game-${round * 1_000 + index + 1}`)));
    }
    take(known, feed.linesSince(at));
    expect(known.size).toBe(1_000);
    expect(known.has('old-1')).toBe(false);
  });

  it('is not sent again if it has not changed', () => {
    const feed = new BackendFeed();
    expect(feed.set([backend('game-1')])).toBe(true);
    const { version } = feed;
    expect(feed.set([backend('game-1')])).toBe(false);
    expect(feed.linesSince(version)).toEqual([]);
  });

  it('is split into lines below the maximum size, even with the longest names', () => {
    const feed = new BackendFeed();
    const long = { name: '界'.repeat(2_000), permission: 'p'.repeat(1_000), host: 'h'.repeat(253) };
    feed.set(Array.from({ length: 300 }, (_, index) => backend(`game-${index + 1}`, long)));
    const known = new Map<string, Backend>();
    take(known, feed.linesSince(null));
    expect(known.size).toBe(300);
  });
});

function byId(one: Backend, other: Backend): number {
  return one.id < other.id ? -1 : 1;
}
