import { createServer } from 'node:net';

/** Ports that are tried beside a taken one. */
const TRIES = 100;

/** Ports below are the system's. */
const FIRST = 1_024;
const LAST = 65_535;

/** Listens for a moment. @returns why that fails; null when a program can listen there now */
export function tryToListen(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', resolve)
      .listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

/**
 * Finds a port after `port` at which a program can listen now, by listening.
 *
 * @returns null when there is none among the next ones, or nobody can listen at this address
 */
export async function freePortAfter(host: string, port: number): Promise<number | null> {
  const first = Math.max(port + 1, FIRST);
  for (let next = first; next < first + TRIES && next <= LAST; next += 1) {
    if ((await tryToListen(host, next)) === null) return next;
  }
  return null;
}
