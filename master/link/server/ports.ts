import { createServer } from 'node:net';

/** Number of ports to try after a port that is in use. */
const TRIES = 100;

/** Lowest port that needs no privileges. */
const FIRST = 1_024;
const LAST = 65_535;

/**
 * Listens on a port for a moment, to find out whether the port is free.
 *
 * @returns the error with which listening fails; null if the port is free
 */
export function tryToListen(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', resolve)
      .listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

/**
 * Finds a free port above `port` that needs no privileges. Tries to listen on each port.
 *
 * @returns null if none of the next 100 ports is free, or no program can listen on the address
 */
export async function freePortAfter(host: string, port: number): Promise<number | null> {
  const first = Math.max(port + 1, FIRST);
  for (let next = first; next < first + TRIES && next <= LAST; next += 1) {
    if ((await tryToListen(host, next)) === null) return next;
  }
  return null;
}
