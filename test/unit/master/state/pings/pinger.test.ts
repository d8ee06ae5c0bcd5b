import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Pinger, type PingAddress, type PingAnswer, type PingSubject } from '#master/state/pings/pinger.ts';
import { DEFAULT_PING_PERIODS } from '#master/core/ping-schedule.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const EMPTY: PingAnswer = { players: { online: 0, max: 20 } };

/** Returns a service to ping. The number of the service equals its port. */
function subject(port: number, fields: Partial<PingSubject> = {}): PingSubject {
  const target = { id: `lobby-${port}`, host: '127.0.0.1', port, proxyProtocol: false };
  return { target, startingSince: null, linked: false, ...fields };
}

/** Returns a pinger. Its servers answer at once, but pings to servers in `silent` time out after 2 s. */
function aPinger() {
  const sent: number[] = [];
  const silent = new Set<number>();
  let answer = EMPTY;
  let underWay = 0;
  let mostUnderWay = 0;
  const ping = async ({ port }: PingAddress): Promise<PingAnswer | null> => {
    sent.push(port);
    underWay += 1;
    mostUnderWay = Math.max(mostUnderWay, underWay);
    if (silent.has(port)) await new Promise((resolve) => setTimeout(resolve, 2_000));
    underWay -= 1;
    return silent.has(port) ? null : answer;
  };
  const pinger = new Pinger({ ping, periods: DEFAULT_PING_PERIODS, now: Date.now });
  const news: string[] = [];
  pinger.onResult((one) => news.push(one));
  /** Counts the pings to these ports within a time. Without ports, counts all pings. */
  const countPings = async (ms: number, ...ports: number[]): Promise<number> => {
    sent.splice(0);
    await vi.advanceTimersByTimeAsync(ms);
    return sent.filter((port) => ports.length === 0 || ports.includes(port)).length;
  };
  return {
    ...{ pinger, silent, news, countPings },
    mostUnderWay: () => mostUnderWay,
    answerWith: (next: PingAnswer) => (answer = next),
  };
}

describe('Pinger (sends status pings to services)', () => {
  it('pings a service once a second if its plugin is not connected, and once a minute if its plugin is connected', async () => {
    const { pinger, countPings } = aPinger();
    pinger.watch([subject(1), subject(2, { linked: true })]);
    await countPings(1_000);
    expect(await countPings(600_000, 1)).toBeGreaterThanOrEqual(600);
    expect(await countPings(600_000, 2)).toBeLessThanOrEqual(12);
  });

  it('pings a service within a second after its plugin was disconnected', async () => {
    const { pinger, countPings } = aPinger();
    pinger.watch([subject(1, { linked: true })]);
    expect(await countPings(30_000)).toBe(1);
    pinger.watch([subject(1)]);
    expect(await countPings(1_000)).toBeGreaterThan(0);
  });

  it('pings more often while a service with a connected plugin does not answer, and records when the silence began', async () => {
    const { pinger, silent, countPings } = aPinger();
    pinger.watch([subject(1, { linked: true })]);
    await countPings(1_000);
    silent.add(1);
    await countPings(60_000 + 2_000);
    const since = pinger.state('lobby-1')?.silentSince;
    expect(since).not.toBeNull();
    expect(await countPings(15_000)).toBeGreaterThanOrEqual(5);
    expect(pinger.state('lobby-1')).toMatchObject({ answer: null, silentSince: since });
    silent.clear();
    await countPings(3_000);
    expect(pinger.answersNow('lobby-1')).toBe(true);
  });

  it('records the current time as the start of the silence if the clock was set back', async () => {
    const { pinger, silent, countPings } = aPinger();
    silent.add(1);
    pinger.watch([subject(1)]);
    await countPings(5_000);
    const before = Date.now();
    vi.setSystemTime(before - 3_600_000);
    await countPings(5_000);
    expect(pinger.state('lobby-1')?.silentSince).toBeLessThan(before - 3_590_000);
  });

  it('reports the first answer of a starting service, and afterwards only answers that differ', async () => {
    const { pinger, news, answerWith, countPings } = aPinger();
    pinger.watch([subject(1, { startingSince: Date.now() })]);
    await countPings(20);
    pinger.watch([subject(1)]);
    await countPings(5_000);
    expect(news).toEqual(['started']);
    answerWith({ players: { online: 1, max: 20 } });
    await countPings(5_000);
    expect(news).toEqual(['started', 'changed']);
  });

  it('pings a new service in time even if a thousand other services never answer', async () => {
    const { pinger, silent, countPings, mostUnderWay } = aPinger();
    const silentOnes = Array.from({ length: 1_000 }, (_, i) => subject(i + 1));
    for (const { target } of silentOnes) silent.add(target.port);
    pinger.watch(silentOnes);
    // Wait until a ping to each service has timed out.
    await countPings(9_000);
    pinger.watch([...silentOnes, subject(1_001, { startingSince: Date.now() })]);
    expect(await countPings(15, 1_001)).toBe(1);
    pinger.watch([...silentOnes, subject(1_001)]);
    expect(await countPings(10_000, 1_001)).toBeGreaterThanOrEqual(10);
    expect(mostUnderWay()).toBeLessThanOrEqual(256);
  });

  it('treats a ping that throws an error as unanswered, and continues', async () => {
    let tries = 0;
    const ping = (): Promise<PingAnswer | null> => {
      tries += 1;
      return tries < 3
        ? Promise.reject(new RangeError('Port should be >= 0 and < 65536'))
        : Promise.resolve(EMPTY);
    };
    const pinger = new Pinger({ ping, periods: DEFAULT_PING_PERIODS, now: Date.now });
    pinger.watch([subject(70_000)]);
    await vi.advanceTimersByTimeAsync(500);
    expect(pinger.state('lobby-70000')).toMatchObject({ answer: null });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(pinger.state('lobby-70000')).toMatchObject({ answer: EMPTY, silentSince: null });
  });

  it('ignores the answer from an earlier address of a service', async () => {
    const { pinger, silent, countPings } = aPinger();
    silent.add(1);
    pinger.watch([subject(1)]);
    await countPings(100);
    const { target } = subject(1);
    pinger.watch([{ ...subject(1), target: { ...target, port: 2 } }]);
    await countPings(5_000);
    expect(pinger.state('lobby-1')).toMatchObject({ answer: EMPTY, silentSince: null });
  });

  it('sends no more pings to a service that was removed', async () => {
    const { pinger, countPings } = aPinger();
    pinger.watch([subject(1)]);
    await countPings(1_000);
    pinger.watch([]);
    expect(pinger.state('lobby-1')).toBeNull();
    expect(await countPings(60_000)).toBe(0);
  });
});
