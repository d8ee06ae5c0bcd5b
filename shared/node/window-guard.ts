import type { Channel } from 'ssh2';

/** The parts of an ssh2 channel that the guard uses. `incoming` and `push` are internal, so a test checks them. */
interface Receiving {
  readonly incoming: { readonly window: number };
  push(chunk: unknown, encoding?: BufferEncoding): boolean;
}

/**
 * Detects when the other side sends more data than the channel's window allows (RFC 4254 section 5.2). The SSH
 * library stores data beyond the window, so without this guard, a hostile side could fill the memory.
 *
 * @param onOverrun called each time data arrives beyond the window; must end the connection
 */
export function guardWindow(channel: Channel, onOverrun: () => void): void {
  // The types of the library do not contain its internal parts.
  const { incoming } = channel as unknown as Receiving;
  const { stderr } = channel as { readonly stderr?: unknown };
  for (const stream of [channel, stderr] as (Receiving | undefined)[]) {
    if (typeof stream?.push !== 'function') continue;
    const push = stream.push.bind(stream);
    stream.push = (chunk, encoding) => {
      if (incoming.window >= 0) return push(chunk, encoding);
      onOverrun();
      return false;
    };
  }
}
