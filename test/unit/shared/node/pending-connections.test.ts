import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { PendingConnections } from '#shared/node/pending-connections.ts';

/** Contains only the parts of a socket that the tests use. */
class Knock extends EventEmitter {
  readonly remoteAddress: string;
  destroyed = false;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

describe('PendingConnections (limits connections without a login)', () => {
  const pending = new PendingConnections({ max: 8, timeoutMs: 60_000 });
  afterEach(() => pending.closeAll());

  const enter = (address: string): Knock => {
    const knock = new Knock(address);
    pending.enter(knock as unknown as Socket);
    return knock;
  };

  it.each([
    ['one address', () => '192.0.2.1'],
    ['different addresses in one /64 network', (index: number) => `2001:db8:0:1::${index.toString(16)}`],
  ])('closes surplus connections from %s, but no other connections', (_, addressOf) => {
    const honest = [enter('2001:db8:0:2::1'), enter('2001:db8:0:2::2')];
    const crowd = Array.from({ length: 100 }, (_unused, index) => enter(addressOf(index + 1)));
    expect(honest.map(({ destroyed }) => destroyed)).toEqual([false, false]);
    expect(crowd.filter(({ destroyed }) => !destroyed)).toHaveLength(6);
  });

  const knows = (address: string): void => pending.identify(enter(address) as unknown as Socket);
  const strangers = (): Knock[] =>
    Array.from({ length: 100 }, (_, index) => enter(`198.51.100.${index + 1}`));

  it('keeps the connection of a network with an earlier login while many unknown networks connect', () => {
    knows('2001:db8:0:2::1');
    const honest = enter('2001:db8:0:2::2');
    strangers();
    expect(honest.destroyed).toBe(false);
  });

  it('also closes connections of a network with an earlier login if this network has too many', () => {
    knows('192.0.2.1');
    const crowd = Array.from({ length: 8 }, () => enter('192.0.2.1'));
    strangers();
    expect(crowd.filter(({ destroyed }) => !destroyed)).toHaveLength(4);
  });

  it('remembers only a limited number of networks that have logged in', () => {
    knows('192.0.2.1');
    for (let index = 0; index < 256; index += 1) knows(`203.0.113.${index}`);
    const forgotten = enter('192.0.2.1');
    strangers();
    expect(forgotten.destroyed).toBe(true);
  });
});
