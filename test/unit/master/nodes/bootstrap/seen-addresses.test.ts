import { describe, expect, it } from 'vitest';
import { chooseSeenAddresses } from '#master/nodes/bootstrap/seen-addresses.ts';

const NONE = (): boolean => false;

describe('addresses of the master that nodes report (chooseSeenAddresses)', () => {
  it('count if no node reports another one', () => {
    expect(chooseSeenAddresses(['192.0.2.1'], NONE)).toEqual({ addresses: ['192.0.2.1'], isComplete: true });
  });

  it('count if two nodes report them', () => {
    const reports = ['192.0.2.1', '198.51.100.9', '192.0.2.1'];
    expect(chooseSeenAddresses(reports, NONE)).toEqual({ addresses: ['192.0.2.1'], isComplete: false });
  });

  it('do not count if each node reports another one', () => {
    const reports = ['192.0.2.1', '198.51.100.9'];
    expect(chooseSeenAddresses(reports, NONE)).toEqual({ addresses: [], isComplete: false });
  });

  it("count if they are the master's own", () => {
    const reports = ['2001:db8::1', '192.0.2.1', '198.51.100.9'];
    const isOwn = (address: string): boolean => address !== '198.51.100.9';
    expect(chooseSeenAddresses(reports, isOwn)).toEqual({
      addresses: ['192.0.2.1', '2001:db8::1'],
      isComplete: false,
    });
  });
});
