import { describe, expect, it } from 'vitest';
import { ADDRESS_BURST, ADDRESS_PER_SECOND, AddressGate } from '#master/link/server/address-gate.ts';

/**
 * Opens connections from one address at one moment.
 *
 * @returns the number of admitted ones
 */
function come(
  gate: AddressGate,
  address: string | undefined,
  { count, at }: { count: number; at: number },
): number {
  return Array.from({ length: count }, () => gate.admits(address, at)).filter(Boolean).length;
}

describe('connections from one address', () => {
  it('are limited at once and per second, without limiting others', () => {
    const gate = new AddressGate();
    expect(come(gate, '10.0.0.1', { count: 1_000, at: 0 })).toBe(ADDRESS_BURST);
    expect(come(gate, '10.0.0.2', { count: 64, at: 0 })).toBe(64);
    expect(come(gate, '10.0.0.1', { count: 1_000, at: 1_000 })).toBe(ADDRESS_PER_SECOND);
  });

  it('are counted together for both notations of IPv4, and for one network of IPv6, which has one owner', () => {
    const gate = new AddressGate();
    come(gate, '10.0.0.1', { count: 1_000, at: 0 });
    expect(gate.admits('::ffff:10.0.0.1', 0)).toBe(false);
    come(gate, '2001:db8::1', { count: 1_000, at: 0 });
    expect(gate.admits('2001:db8:0:0:7:7:7:7', 0)).toBe(false);
    expect(gate.admits('2001:db8:0:1::1', 0)).toBe(true);
    come(gate, 'fe80::1%eth0', { count: 1_000, at: 0 });
    expect(gate.admits('fe80::2%eth0', 0)).toBe(false);
  });

  it('are counted for a bounded number of addresses; the others share one bucket', () => {
    const gate = new AddressGate();
    for (let index = 0; index < 100_000; index++)
      gate.admits(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`, 0);
    expect(gate.size).toBeLessThanOrEqual(4_097);
    expect(gate.admits('192.0.2.1', 0)).toBe(false);
    // An address that was idle for a while is forgotten.
    expect(gate.admits('192.0.2.1', 60_000)).toBe(true);
    expect(gate.size).toBeLessThanOrEqual(2);
  });
});
