import { describe, expect, it } from 'vitest';
import { ApiProblem } from '#master/nodes/hetzner/api/api-problem.ts';
import { RateBudget } from '#master/nodes/hetzner/api/rate-budget.ts';
import { isWorthRetrying, retryDelayMs } from '#master/nodes/hetzner/api/retry.ts';

describe('a request to the provider', () => {
  it.each([
    ['unknown', 'network', true, true],
    ['unknown', 'http_502', true, true],
    ['unknown', 'network', false, false],
    ['refused', 'conflict', false, true],
    ['refused', 'rate_limit_exceeded', false, true],
    ['refused', 'resource_unavailable', true, false],
    ['refused', 'not_found', true, false],
  ] as const)(
    'after the outcome %s (%s), with repeatable = %s, is sent again: %s',
    (...[outcome, code, isRepeatable, want]) => {
      expect(isWorthRetrying(new ApiProblem('x', { outcome, code }), isRepeatable)).toBe(want);
    },
  );

  it('is sent again after a delay that doubles up to a minute and is shortened at random by up to half', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8].map((tries) => retryDelayMs(tries, 1000, 0))).toEqual([
      1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000,
    ]);
    expect(retryDelayMs(2, 1000, 1)).toBe(1000);
  });
});

describe('RateBudget (slows down requests to the provider before its rate limit is reached)', () => {
  it.each([
    ['3600', 1],
    ['1800', 1],
    ['900', 5.5],
    ['0', 10],
  ])('with %s of 3600 requests left, multiplies the intervals between requests by %s', (remaining, want) => {
    const budget = new RateBudget();
    const headers: Record<string, string> = { 'ratelimit-limit': '3600', 'ratelimit-remaining': remaining };
    budget.note((name) => headers[name]);
    expect(budget.slowdown).toBe(want);
  });

  it('ignores a response without rate-limit headers', () => {
    const budget = new RateBudget();
    budget.note(() => undefined);
    expect(budget.slowdown).toBe(1);
  });
});
