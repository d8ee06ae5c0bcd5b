import { describe, expect, it } from 'vitest';
import { chooseSeenAddresses } from '#master/nodes/bootstrap/seen-addresses.ts';

const NONE = (): boolean => false;

describe('chooseSeenAddresses (addresses of the master that nodes report)', () => {
  it('returns the address that all nodes report', () => {
    expect(chooseSeenAddresses(['192.0.2.1'], NONE)).toEqual({ addresses: ['192.0.2.1'], isComplete: true });
  });

  it('returns an address that at least two nodes report', () => {
    const reports = ['192.0.2.1', '198.51.100.9', '192.0.2.1'];
    expect(chooseSeenAddresses(reports, NONE)).toEqual({ addresses: ['192.0.2.1'], isComplete: false });
  });

  it('returns no address if each node reports a different address', () => {
    const reports = ['192.0.2.1', '198.51.100.9'];
    expect(chooseSeenAddresses(reports, NONE)).toEqual({ addresses: [], isComplete: false });
  });

  it("returns the reported addresses that belong to the master's machine", () => {
    const reports = ['2001:db8::1', '192.0.2.1', '198.51.100.9'];
    const isOwn = (address: string): boolean => address !== '198.51.100.9';
    expect(chooseSeenAddresses(reports, isOwn)).toEqual({
      addresses: ['192.0.2.1', '2001:db8::1'],
      isComplete: false,
    });
  });
});
