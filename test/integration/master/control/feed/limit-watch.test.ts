import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isAtLimit, watchLimit } from '#master/control/feed/limit-watch.ts';

import { RecordStore } from '#master/state/services/record-store.ts';
import { Topics } from '#master/state/feed/topics.ts';
import { ConfigStore } from '#master/store/config-store.ts';
import { EventLog } from '#master/store/event-log.ts';
import { noLink, noProxies } from '#test/support/link/no-ingress.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

async function aNetwork(limit: number) {
  const data = temporaryFolder();
  const config = await ConfigStore.open(data, (error) => expect.unreachable(String(error)));
  onTestFinished(() => config.close());
  const { config: before, revision } = config.master;
  await config.writeMaster({ ...before, max_online_players: limit }, revision);
  const records = await RecordStore.open(join(data, 'state', 'services.json'));
  const events = await EventLog.open(join(data, 'state', 'activity.jsonl'), Date.now);
  onTestFinished(() => events.close());
  const topics = new Topics();
  // Contains only the dependencies that `watchLimit` uses.
  const link = { link: noLink(), proxies: noProxies() };
  const known = { config, records, events, topics, ...link, now: () => 1_000 };
  const record = records.add({ id: 'lobby-1', template: 'lobby', requestedAt: 1, cause: 'x', manual: false });
  const players = (online: number): void => {
    record.players = { online, max: 1000 };
    topics.publish('services', 'nodes');
  };
  const told = (): string[] =>
    events
      .query({ limit: 100 })
      .map(({ kind, subject, cause }) => `${kind} ${subject.id}: ${cause}`)
      .reverse();
  return { known, record, players, told };
}

describe('watchLimit (reports when max_online_players is reached)', () => {
  it('creates one event when the limit is reached, and another event when slots are free again', async () => {
    const { known, players, told } = await aNetwork(100);
    onTestFinished(watchLimit(known));
    for (const online of [0, 99, 100, 101, 99, 96, 95, 100, 94, 99, 20]) players(online);
    expect(told()).toEqual([
      'network.limit-reached network: 100 players are online, max_online_players is 100',
      'network.limit-left network: 94 of at most 100 players are online, fewer than 95 %',
    ]);
  });

  it('creates no second event after a restart of the master', async () => {
    const { known, record, players, told } = await aNetwork(10);
    const end = watchLimit(known);
    players(12);
    end();
    players(0);
    // Set the state of a stored record whose node has not been observed yet.
    Object.assign(record, { node: 'node-1', state: 'REQUESTED' });
    onTestFinished(watchLimit(known));
    players(0);
    expect(told()).toHaveLength(1);
    Object.assign(record, { state: 'STARTING', adoptedAt: 5, upAt: null });
    players(0);
    expect(told()).toHaveLength(1);
    record.upAt = 6;
    players(11);
    expect(told()).toHaveLength(1);
    players(1);
    expect(told()).toHaveLength(2);
  });

  it('does not switch between reached and not reached while the number of players stays the same', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 5000 }),
        fc.integer({ min: -1, max: 3000 }),
        fc.boolean(),
        (players, limit, was) => {
          const now = isAtLimit(was, players, limit);
          expect(isAtLimit(now, players, limit)).toBe(now);
          if (limit > 0 && players >= limit) expect(now).toBe(true);
          if (players * 100 < limit * 95) expect(now).toBe(false);
        },
      ),
    );
  });
});
