import { describe, expect, it } from 'vitest';
import { AddressGate } from '#shared/node/address-gate.ts';

const RATE = { burst: 256, perSecond: 64 };

/** Opens connections from one address at the same moment. @returns the number of admitted connections */
function come(
  gate: AddressGate,
  address: string | undefined,
  { count, at }: { count: number; at: number },
): number {
  return Array.from({ length: count }, () => gate.admits(address, at)).filter(Boolean).length;
}

describe('the incoming connections', () => {
  it('from one address are limited per second, without an effect on other addresses', () => {
    const gate = new AddressGate(RATE);
    expect(come(gate, '10.0.0.1', { count: 1_000, at: 0 })).toBe(RATE.burst);
    expect(come(gate, '10.0.0.2', { count: 64, at: 0 })).toBe(64);
    expect(come(gate, '10.0.0.1', { count: 1_000, at: 1_000 })).toBe(RATE.perSecond);
  });

  it('share a limit if they come from different notations of one address, or from one IPv6 /64 network', () => {
    const gate = new AddressGate(RATE);
    come(gate, '10.0.0.1', { count: 1_000, at: 0 });
    expect(gate.admits('::ffff:10.0.0.1', 0)).toBe(false);
    come(gate, '2001:db8::1', { count: 1_000, at: 0 });
    expect(gate.admits('2001:db8:0:0:7:7:7:7', 0)).toBe(false);
    expect(gate.admits('2001:db8:0:1::1', 0)).toBe(true);
    come(gate, 'fe80::1%eth0', { count: 1_000, at: 0 });
    expect(gate.admits('fe80::2%eth0', 0)).toBe(false);
  });

  it('have a limit per address for up to 4,096 addresses, and all other addresses share one limit', () => {
    const gate = new AddressGate(RATE);
    for (let index = 0; index < 100_000; index++)
      gate.admits(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`, 0);
    expect(gate.size).toBeLessThanOrEqual(4_097);
    expect(gate.admits('192.0.2.1', 0)).toBe(false);
    // An address that has been idle for a while is no longer counted.
    expect(gate.admits('192.0.2.1', 60_000)).toBe(true);
    expect(gate.size).toBeLessThanOrEqual(2);
  });

  it('are limited together if they come from new IPv6 networks of one customer', () => {
    const gate = new AddressGate(RATE);
    come(gate, '2001:db8:7:1::1', { count: 1, at: 0 });
    const admitted = Array.from({ length: 65_536 }, (_, network) => network.toString(16)).filter((network) =>
      gate.admits(`2001:db8:7:${network}::1`, 0),
    );
    // Only its own limit applies to the network that has connected before.
    expect(admitted).toHaveLength(RATE.burst);
    expect(gate.admits('2001:db8:7:1::1', 0)).toBe(true);
    expect(gate.admits('2001:db8:8:1::1', 0)).toBe(true);
    expect(gate.admits('192.0.2.1', 0)).toBe(true);
    expect(gate.size).toBeLessThan(RATE.burst + 10);
  });
});
