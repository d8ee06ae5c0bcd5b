import { describe, expect, it } from 'vitest';
import { quotaWarnings } from '#master/volumes/quota-warnings.ts';

const MB = 2 ** 20;
const volumes = [
  { id: 'survival/1', bytes: 90 * MB, storedBytes: 150 * MB },
  { id: 'survival/2', bytes: 89 * MB, storedBytes: 100 * MB },
];

describe('a warning before a disk quota is reached', () => {
  it('appears when a volume uses 90 % of its quota', () => {
    const warnings = quotaWarnings(volumes, { perVolume: 100, total: -1 });
    expect([...warnings.keys()]).toEqual(['survival/1']);
    expect(warnings.get('survival/1')).toContain('90 of the 100 MB that volumes.quota.perVolume allows');
  });

  it('appears only at the largest volume if the quota applies to all volumes together', () => {
    expect([...quotaWarnings(volumes, { perVolume: -1, total: 278 })]).toEqual([]);
    const warnings = quotaWarnings(volumes, { perVolume: 100, total: 277 });
    expect([...warnings.keys()]).toEqual(['survival/1']);
    expect(warnings.get('survival/1')).toMatch(
      /perVolume.*250 of the 277 MB that volumes\.quota\.total allows/,
    );
  });

  it('does not appear without a quota', () => {
    expect(quotaWarnings(volumes, { perVolume: -1, total: -1 }).size).toBe(0);
  });
});
