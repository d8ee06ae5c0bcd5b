import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * Relay between app and master on loopback. It can stop relaying without closing the connections, which are half-open
 * then.
 */
export interface SilentProxy {
  readonly port: number;
  /** Stops relaying in both directions without closing the connections. */
  fallSilent(): void;
  close(): void;
}

/**
 * Starts a relay on a free port.
 *
 * @param to port of the master on loopback
 */
export async function silentProxy(to: number): Promise<SilentProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    fallSilent: () => {
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
