import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { useProxyGame } from '#test/support/players/proxy-game.ts';
import { handshakeFrame, packetFrame } from '#test/support/players/wire.ts';

const game = useProxyGame();

const v1 = Buffer.from('PROXY TCP4 203.0.113.5 127.0.0.1 40000 25565\r\n');
const v1Of6 = Buffer.from('PROXY TCP6 2001:db8::7 ::1 40000 25565\r\n');
const v2Signature = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');

/**
 * Returns a PROXY header of version 2: command and family, addresses and ports, and further data. HAProxy may add
 * further data, and the proxy ignores it.
 */
function v2(commandAndFamily: string, addresses: string, more = ''): Buffer {
  const body = Buffer.from(addresses + more, 'hex');
  const length = Buffer.of(body.length >> 8, body.length & 0xff);
  return Buffer.concat([v2Signature, Buffer.from(commandAndFamily, 'hex'), length, body]);
}
const ports = '9c4063dd';
const v2Of4 = v2('2111', `cb0071067f000001${ports}`, '030004a9b8c7d6');
const v2Of6 = v2('2121', `20010db8${'0'.repeat(22)}08${'0'.repeat(31)}1${ports}`);
const v2Local = v2('2000', '');

/** Sends these bytes to the proxy. Returns the answer until the proxy closes the connection, at most 30 bytes. */
async function answerTo(port: number, ...parts: readonly Buffer[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  for (const part of parts) socket.write(part);
  let answer = '';
  for await (const chunk of socket) {
    answer += String(chunk);
    if (answer.length > 30) break;
  }
  socket.destroy();
  return answer;
}
const status = Buffer.concat([handshakeFrame(47, 1), packetFrame(0x00)]);

describe('the practice proxy with the PROXY protocol', () => {
  it.each([
    ['version 1', v1, '203.0.113.5'],
    ['version 1, IPv6', v1Of6, '2001:db8:0:0:0:0:0:7'],
    ['version 2 with data after the addresses', v2Of4, '203.0.113.6'],
    ['version 2, IPv6', v2Of6, '2001:db8:0:0:0:0:0:8'],
  ])(
    'sends the address of the client to the game server in a PROXY header: %s',
    async (_, header, address) => {
      const lobby = await game.backend();
      const proxy = await game.proxy({ lobby }, { proxyProtocol: true });
      await game.join(proxy, { username: 'Steve', header });
      const told = /\[\/(.*):\d+\]/.exec(await lobby.sees(/Steve\[.*logged in/))?.[1];
      expect(told).toBe(address);
    },
  );

  it('answers health checks of the load balancer, even if these arrive in pieces', async () => {
    const proxy = await game.proxy({}, { proxyProtocol: true });
    for (const header of [v2Local, Buffer.from('PROXY UNKNOWN\r\n'), v1]) {
      expect(await answerTo(proxy.port, header, status)).toContain('players');
      const bytes = [...Buffer.concat([header, status])].map((byte) => Buffer.of(byte));
      expect(await answerTo(proxy.port, ...bytes)).toContain('players');
    }
  });

  it.each([
    ['a missing header', status],
    ['an endless line', Buffer.from(`PROXY TCP4 ${'1'.repeat(200)}`)],
    ['a name in place of an address', Buffer.from('PROXY TCP4 localhost 127.0.0.1 1 2\r\n')],
    ['an invalid port', Buffer.from('PROXY TCP4 1.2.3.4 127.0.0.1 99999 2\r\n')],
    ['another version', v2('3111', `cb0071067f000001${ports}`)],
    ['addresses that are too short', v2('2111', 'cb0071')],
    ['a header of 60 KB', v2('2111', '00'.repeat(60_000))],
  ])('closes the connection and logs the reason after %s', async (_, bytes) => {
    const proxy = await game.proxy({}, { proxyProtocol: true });
    expect(await answerTo(proxy.port, bytes)).toBe('');
    await proxy.sees(/WARN\]: 127\.0\.0\.1 refused: .*PROXY protocol/);
  });
});

describe('the address in a PROXY header', () => {
  // Java would resolve these texts as host names. During this time, all players would be blocked.
  it.each(['TCP4 cab.fee', 'TCP6 cafe', 'TCP4 256.1.1.1', 'TCP4 1.2', 'TCP6 1.2.3.4'])(
    'is rejected if it is not an IP address: %s',
    async (said) => {
      const proxy = await game.proxy({}, { proxyProtocol: true });
      expect(await answerTo(proxy.port, Buffer.from(`PROXY ${said} 127.0.0.1 1 2\r\n`))).toBe('');
      await proxy.sees(/a PROXY protocol line that cannot be read/);
    },
  );
});

describe('the practice proxy without the PROXY protocol', () => {
  it('closes a connection that begins with a PROXY header', async () => {
    // Without the protocol, the proxy reads the header as an incomplete packet of 80 bytes.
    const proxy = await game.proxy({}, { timeoutMs: 1_500 });
    expect(await answerTo(proxy.port, v1)).toBe('');
    expect(await answerTo(proxy.port, status)).toContain('players');
  });
});
