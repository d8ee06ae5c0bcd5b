import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Stands between an app and a master on loopback, and can stop passing anything on without closing: a half-open connection. */
export interface SilentProxy {
  readonly port: number;
  /** From now on nothing is passed on, in either direction; nobody is told. */
  fallSilent(): void;
  close(): void;
}

/** @param to port of the master on loopback */
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
