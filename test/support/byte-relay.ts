import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A stretch of line between two ends on this machine: counts what passes, and can be cut. */
export interface ByteRelay {
  readonly port: number;
  /** Bytes that have passed so far, from the client to the server (`up`) and back. */
  readonly passed: { up: number; down: number };
  /** Breaks all connections that stand, without a word. New ones can be made at once. */
  cut(): void;
  close(): Promise<void>;
}

/** Relays connections on a free port of loopback to another one. */
export async function startByteRelay(target: { host: string; port: number }): Promise<ByteRelay> {
  const passed = { up: 0, down: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target);
    for (const [from, to, way] of [
      [near, far, 'up'],
      [far, near, 'down'],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => {
        passed[way] += bytes.length;
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
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    passed,
    cut,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}
