import { expect, it, onTestFinished, vi } from 'vitest';
import { NetworkBroadcaster } from '#master/link/sessions/network-broadcaster.ts';

it('NetworkBroadcaster sends the numbers to a session that began between two changes that cancel each other out', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const numbers = { online: 1, limit: 10 };
  const lines: string[] = [];
  const connection = {
    send: (message: object) => void lines.push(JSON.stringify(message)),
    sendLine: (line: Buffer) => void lines.push(line.toString().trim()),
  };
  const session = { connection, isProxy: true, feed: () => undefined };
  const sessions: unknown[] = [];
  const timing = { networkMs: 250, backendsMs: 250, backendsOfServersMs: 250, heartbeatMs: 60_000 };
  // Only these parts are read.
  const broadcaster = new NetworkBroadcaster({
    ...{ registry: { all: sessions }, feed: {}, timing },
    numbers: () => ({ ...numbers }),
  } as never);
  onTestFinished(() => broadcaster.close());
  const onlineOf = (): unknown[] => lines.map((line) => (JSON.parse(line) as { online: number }).online);
  broadcaster.numbersChanged();
  vi.advanceTimersByTime(250);
  sessions.push(session);
  numbers.online = 2;
  broadcaster.sendAll(session as never);
  numbers.online = 1;
  broadcaster.numbersChanged();
  vi.advanceTimersByTime(250);
  expect(onlineOf()).toEqual([2, 1]);
});
