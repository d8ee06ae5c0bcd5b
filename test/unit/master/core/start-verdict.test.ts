import { describe, expect, it } from 'vitest';
import { startVerdict } from '#master/core/next-state.ts';

describe('startVerdict (whether a slow start may continue)', () => {
  const limits = { timeoutMs: 300_000, quietMs: 60_000, maximumMs: 1_800_000 };
  const verdict = (tookMs: number, quietMs: number): string => startVerdict({ tookMs, quietMs }, limits);

  it('lets a service start until its timeout', () => {
    expect(verdict(300_000, 300_000)).toBe('goes-on');
  });

  it('lets a service start beyond its timeout while its log still grows', () => {
    expect(verdict(1_800_000, 59_999)).toBe('goes-on');
    expect(verdict(300_001, 60_000)).toBe('log-quiet');
  });

  it('aborts a start after the maximum time, even if the log still grows', () => {
    expect(verdict(1_800_001, 0)).toBe('too-long');
  });
});
