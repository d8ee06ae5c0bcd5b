import { describe, expect, it } from 'vitest';
import { toBytes, toCountOf, toOf, toPercent, toRam, toRamOf } from '#renderer/view/format/numbers.ts';

describe('the formats of numbers', () => {
  it.each([
    ['players and their limit', toOf(37, 100), '37 / 100'],
    ['grouped digits', toOf(1234, 40_000), '1,234 / 40,000'],
    ['used RAM and total RAM', toRamOf(5530, 8192), '5.4 of 8 GB'],
    ['no RAM at all', toRamOf(0, 0), '0 of 0 GB'],
    ['RAM below a GB', toRam(512), '512 MB'],
    ['RAM with one digit', toRam(1399), '1.4 GB'],
    ['a count of one', toCountOf(1, 'service'), '1 service'],
    ['a count of many', toCountOf(5000, 'service'), '5,000 services'],
    ['a share of nothing', toPercent(0, 0), '0 %'],
    ['a share above 100 %', toPercent(146, 100), '146 %'],
  ])('are correct for %s', (_case, got, want) => expect(got).toBe(want));
});

describe('toBytes (formats the size of a file)', () => {
  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 kB'],
    [1536, '1.5 kB'],
    [1_048_575, '1.0 MB'],
    [50_541_363, '48.2 MB'],
    [536_870_912, '512 MB'],
    [5_368_709_120, '5.0 GB'],
  ])('formats %i bytes', (bytes, want) => expect(toBytes(bytes)).toBe(want));
});
