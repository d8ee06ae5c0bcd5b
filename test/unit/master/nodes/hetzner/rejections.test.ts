import { describe, expect, it } from 'vitest';
import { ApiProblem } from '#master/nodes/hetzner/api/api-problem.ts';
import { OrderRejections, toRejection } from '#master/nodes/hetzner/rejections.ts';

const HOUR = 3_600_000;
const failure = (at: number) => ({ at, node: 'node-1', type: 'cpx22', location: 'nbg1', why: 'silence' });

describe('a server type whose order was refused in a location', () => {
  it('is avoided for a time that doubles with each refusal, up to 12 times the first duration', () => {
    const refusals = new OrderRejections({ soldOut: 100 });
    const waits = [0, 100, 300, 700, 1500, 2700].map((now) => {
      refusals.avoid('cpx22', 'nbg1', now);
      return (refusals.soldOutUntil('cpx22', 'nbg1') ?? 0) - now;
    });
    expect(waits).toEqual([100, 200, 400, 800, 1200, 1200]);
    expect(refusals.soldOutUntil('cpx22', 'fsn1')).toBeNull();
  });

  it('is avoided for the first duration again if its last refusal was more than an hour ago', () => {
    const refusals = new OrderRejections({ soldOut: 100 });
    refusals.avoid('cpx22', 'nbg1', 0);
    refusals.avoid('cpx22', 'nbg1', 2 * HOUR);
    expect(refusals.soldOutUntil('cpx22', 'nbg1')).toBe(2 * HOUR + 100);
    refusals.allow('cpx22', 'nbg1');
    expect(refusals.soldOutUntil('cpx22', 'nbg1')).toBeNull();
  });
});

describe('a pause of all orders', () => {
  it('ends after its duration, with a new API token, or after an accepted order', () => {
    const refusals = new OrderRejections({ soldOut: 100 });
    const paused = (token: string, now: number): string | undefined =>
      refusals.paused([], token, now)?.message;
    refusals.pause('limit', 'a', 1000);
    expect([paused('a', 0), paused('b', 0), paused('a', 1000)]).toEqual(['limit', undefined, undefined]);
    refusals.resume();
    expect(paused('a', 0)).toBeUndefined();
  });

  it('begins after three failed orders in an hour, and ends one hour after the first of the last three', () => {
    const refusals = new OrderRejections({ soldOut: 100 });
    const until = (ats: number[], now: number): number | null | undefined =>
      refusals.paused(ats.map(failure), 'a', now)?.until;
    expect(until([1, 2], 10)).toBeUndefined();
    expect(until([1, 2, 3], 10)).toBe(HOUR + 1);
    expect(until([1, 2, 3], HOUR + 1)).toBeUndefined();
    expect(until([1, 2, 3, 4], 10)).toBe(HOUR + 2);
  });
});

describe('toRejection (decides which orders an error of the provider affects)', () => {
  it.each([
    ['resource_unavailable', 412, 'pair'],
    ['placement_error', 422, 'pair'],
    ['invalid_input', 422, 'pair'],
    ['action_failed', null, 'pair'],
    ['resource_limit_exceeded', 403, 'all'],
    ['unauthorized', 401, 'all'],
    ['token_readonly', 403, 'all'],
    ['forbidden', 403, 'all'],
    ['maintenance', 403, 'all'],
    ['rate_limit_exceeded', 429, 'moment'],
    ['not_found', 404, 'moment'],
  ])('classifies the error %s (status %s) as %s', (code, status, want) => {
    const refusal = toRejection(new ApiProblem('no', { outcome: 'refused', code, status }), 'cpx22 in nbg1');
    expect(refusal.scope).toBe(want);
    expect(refusal.advice).toMatch(/\.$/);
  });
});
