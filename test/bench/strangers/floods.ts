import { randomBytes } from 'node:crypto';
import { connect as connectSocket, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import ssh2 from 'ssh2';
import { LINK_VERSION } from '#shared/link/messages.ts';

/** Target of an attack: host and port of the master, and the stranger's source address. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly from: string;
}

/** Kind of attack that strangers repeat without a key and without a token. */
export interface Flood {
  readonly name: string;
  readonly port: 'ssh' | 'link';
  /** Number of connections at the same time. */
  readonly atOnce: number;
  /** Maximum number of new connections per second. Null means no maximum. */
  readonly perSecond: number | null;
  /** Maximum number of attempts that {@link strike} counts, after which the flood opens no new connections. */
  readonly most: number;
  /**
   * Makes one connection, and calls `count` for each attempt. Returns the socket. The strike ends when the socket
   * closes.
   */
  readonly strike: (target: Target, count: () => void) => Socket;
}

/** Bytes that each connection sends instead of TLS. */
const GARBAGE = randomBytes(100_000);

/** Time between two bytes of a slow client (ms). */
const SLOW_MS = 1_000;

export const floods: readonly Flood[] = [
  {
    ...{ name: 'key exchanges', port: 'ssh', atOnce: 200, perSecond: 200, most: 10_000 },
    strike: (target, count) =>
      asSshClient(target, {}, (client) =>
        client.on('handshake', () => {
          count();
          client.destroy();
        }),
      ),
  },
  {
    ...{ name: 'none attempts', port: 'ssh', atOnce: 64, perSecond: null, most: 10_000 },
    strike: (target, count) =>
      asSshClient(target, {
        authHandler: (_left, _partial, next) => {
          count();
          next({ type: 'none', username: 'x' });
        },
      }),
  },
  {
    ...{ name: 'rekeys', port: 'ssh', atOnce: 64, perSecond: null, most: 1_000 },
    strike: (target, count) =>
      asSshClient(target, {}, (client) =>
        client.on('handshake', () => {
          count();
          // Internal function of the library, which its types do not contain.
          (client as unknown as { _protocol: { rekey(): void } })._protocol.rekey();
        }),
      ),
  },
  {
    ...{ name: 'zlib offers', port: 'ssh', atOnce: 64, perSecond: null, most: 10_000 },
    strike: (target, count) => {
      count();
      return asSshClient(target, { algorithms: { compress: ['zlib'] } });
    },
  },
  {
    ...{ name: 'slow connections', port: 'ssh', atOnce: 1_000, perSecond: null, most: 20_000 },
    strike: slowly('SSH-2.0-slow'),
  },
  {
    ...{ name: 'TLS handshakes', port: 'link', atOnce: 200, perSecond: 200, most: 10_000 },
    strike: (target, count) =>
      asTlsClient(target, (socket) => {
        count();
        socket.destroy();
      }),
  },
  {
    ...{ name: 'wrong tokens', port: 'link', atOnce: 64, perSecond: null, most: 10_000 },
    strike: (target, count) =>
      asTlsClient(target, (socket) => {
        count();
        socket.end(`${JSON.stringify(hello)}\n`);
      }),
  },
  {
    ...{ name: 'TLS renegotiations', port: 'link', atOnce: 64, perSecond: null, most: 1_000 },
    strike: (target, count) =>
      asTlsClient(target, (socket) => {
        const again = (): void => {
          count();
          // A closed socket cannot renegotiate.
          if (!socket.destroyed)
            socket.renegotiate({ rejectUnauthorized: false }, (error) => error ?? again());
        };
        again();
      }),
  },
  {
    ...{ name: 'garbage', port: 'link', atOnce: 64, perSecond: null, most: 10_000 },
    strike: (target, count) => {
      count();
      const socket = open(target);
      socket.end(GARBAGE);
      return socket;
    },
  },
  {
    ...{ name: 'slow connections', port: 'link', atOnce: 1_000, perSecond: null, most: 20_000 },
    // Header of a TLS record with a handshake, which announces 512 bytes (RFC 8446, section 5.1).
    strike: slowly('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
  },
];

const hello = {
  ...{
    type: 'hello',
    version: LINK_VERSION,
    service: 'proxy-1',
    token: 'x'.repeat(43),
    platform: 'velocity',
  },
  ...{ software: 'x', plugin: '0.0.0', allowance: 0 },
};

function open({ host, port, from }: Target): Socket {
  const socket = connectSocket({ host, port, localAddress: from });
  socket.on('error', () => socket.destroy());
  socket.resume();
  return socket;
}

function asSshClient(
  target: Target,
  config: Partial<ssh2.ConnectConfig>,
  prepare: (client: ssh2.Client) => unknown = () => undefined,
): Socket {
  const socket = open(target);
  const client = new ssh2.Client();
  client.on('error', () => socket.destroy());
  prepare(client);
  client.connect({ sock: socket, username: 'x', authHandler: () => undefined, ...config });
  return socket;
}

function asTlsClient(target: Target, onSecure: (socket: TLSSocket) => void): Socket {
  const plain = open(target);
  // TLS 1.3 has no renegotiation.
  const socket = connectTls({ socket: plain, rejectUnauthorized: false, maxVersion: 'TLSv1.2' }, () =>
    onSecure(socket),
  );
  socket.on('error', () => plain.destroy());
  socket.on('close', () => plain.destroy());
  socket.resume();
  return plain;
}

/** Returns a strike that sends these bytes slowly, one at a time. Each second connection sends nothing. */
function slowly(bytes: string): Flood['strike'] {
  let opened = 0;
  return (target, count) => {
    count();
    opened += 1;
    const socket = open(target);
    if (opened % 2 === 0) return socket;
    let at = 0;
    const timer = setInterval(() => {
      socket.write(bytes.charAt(at), 'latin1');
      at += 1;
      if (at === bytes.length) clearInterval(timer);
    }, SLOW_MS);
    socket.on('close', () => clearInterval(timer));
    return socket;
  };
}
