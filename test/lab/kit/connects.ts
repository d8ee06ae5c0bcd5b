import { connect } from 'node:net';

/** Returns whether a TCP connection to a port succeeds within a second. */
export function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (made: boolean): void => {
      socket.destroy();
      resolve(made);
    };
    socket.setTimeout(1_000, () => end(false));
    socket.once('error', () => end(false));
    socket.once('connect', () => end(true));
  });
}
