import { describe, expect, it } from 'vitest';
import { startVerdict } from '#master/core/next-state.ts';

describe('startVerdict (whether a slow start may continue)', () => {
  const limits = { timeoutMs: 300_000, quietMs: 60_000, maximumMs: 1_800_000 };
  const verdict = (tookMs: number, quietMs: number): string => startVerdict({ tookMs, quietMs }, limits);

  it('allows a start to continue until its timeout', () => {
    expect(verdict(300_000, 300_000)).toBe('goes-on');
  });

  it('allows a start to continue after its timeout while its log changes', () => {
    expect(verdict(1_800_000, 59_999)).toBe('goes-on');
    expect(verdict(300_001, 60_000)).toBe('log-quiet');
  });

  it('aborts a start after the maximum time, even if the service still writes to its log', () => {
    expect(verdict(1_800_001, 0)).toBe('too-long');
  });
});
