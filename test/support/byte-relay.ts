import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** TCP relay on this machine that counts bytes and can cut connections. */
export interface ByteRelay {
  readonly port: number;
  /** Number of bytes relayed so far, from the client to the server (`up`) and back (`down`). */
  readonly passed: { up: number; down: number };
  /** Stops relaying over the current connections, which stay open until they are cut. */
  hold(): void;
  /** Breaks all connections without notice. Clients can open new connections immediately. */
  cut(): void;
  /** Breaks all connections as soon as this many more bytes have been relayed from the server to the client. */
  cutAfter(bytes: number): void;
  close(): Promise<void>;
}

/** Starts a relay on a free loopback port, which forwards to the target. */
export async function startByteRelay(target: { host: string; port: number }): Promise<ByteRelay> {
  const passed = { up: 0, down: 0 };
  const sockets = new Set<Socket>();
  let limit = Infinity;
  const cut = () => {
    limit = Infinity;
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((near) => {
    const far = connect(target);
    for (const [from, to, way] of [
      [near, far, 'up'],
      [far, near, 'down'],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => {
        passed[way] += bytes.length;
        if (passed.down >= limit) cut();
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    passed,
    hold: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    cut,
    cutAfter: (bytes) => {
      limit = passed.down + bytes;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}
