/**
 * Process that attacks a master. measure.ts starts this process, and sends it one {@link Order} at a time as a
 * message. The process answers with an {@link Attack}. It is a separate process, so that its work does not delay the
 * owner's login, which is measured.
 */
import type { Socket } from 'node:net';
import { floods, type Flood, type Target } from './floods.ts';

export interface Order {
  /** Index in the list of floods. */
  readonly flood: number;
  readonly host: string;
  readonly port: number;
  /** Source addresses. Each connection uses the next address. */
  readonly from: readonly string[];
  readonly seconds: number;
}

/** Result of an attack. */
export interface Attack {
  readonly connections: number;
  /** Number of attempts, as {@link Flood.strike} counts them. */
  readonly attempts: number;
}

/** Maximum number of connections of one attack. */
const MAX_CONNECTIONS = 20_000;

/** Interval at which new connections are opened (ms). */
const STEP_MS = 10;

/**
 * Attacks until the time is over, and then closes all connections. Stops to open connections earlier if the flood is
 * complete.
 */
function attack(flood: Flood, { host, port, from, seconds }: Order): Promise<Attack> {
  const open = new Set<Socket>();
  let [connections, attempts] = [0, 0];
  const count = (): void => {
    attempts += 1;
  };
  const strike = (): void => {
    const target: Target = { host, port, from: from[connections % from.length] ?? '' };
    connections += 1;
    const socket = flood.strike(target, count);
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  };
  const began = performance.now();
  return new Promise((resolve) => {
    const step = (): void => {
      const elapsed = performance.now() - began;
      const due = flood.perSecond === null ? MAX_CONNECTIONS : (flood.perSecond * elapsed) / 1_000;
      while (
        open.size < flood.atOnce &&
        connections < Math.min(due, MAX_CONNECTIONS) &&
        attempts < flood.most
      )
        strike();
      if (elapsed < seconds * 1_000) return;
      clearInterval(timer);
      for (const socket of open) socket.destroy();
      resolve({ connections, attempts });
    };
    const timer = setInterval(step, STEP_MS);
  });
}

process.on('message', (order: Order) => {
  const flood = floods[order.flood];
  if (flood === undefined) throw new Error(`there is no flood ${order.flood}`);
  void attack(flood, order).then((result) => process.send?.(result));
});
// The process that sends the orders has exited.
process.on('disconnect', () => process.exit());
