import { connect } from 'node:net';

/** Whether a TCP connection to a port is made within a second. */
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
