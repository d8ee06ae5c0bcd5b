import { connect, type Socket } from 'node:net';
import { encodeProxyHeader } from './proxy-header.ts';
import { StatusAnswer, type SilentReason, type StatusPing } from './status-answer.ts';
import { encodeStatusRequest } from './status-frame.ts';

export type { StatusPing } from './status-answer.ts';

export interface StatusPingTarget {
  readonly host: string;
  readonly port: number;
  /** For all of it: connecting, asking, and the whole answer, however slowly it drips. */
  readonly timeoutMs: number;
  /** It was started to expect a PROXY protocol header (`ServiceSpec.proxyProtocol`): without one it would not answer. */
  readonly proxyHeader?: boolean;
}

/**
 * Asks a Minecraft server or proxy for its status, as the multiplayer screen does: is it joinable, and who is on it.
 * One connection, closed when done; keeps at most 256 KiB of what arrives. That nobody answers, or nonsense, is a
 * result, never thrown.
 */
export function statusPing(target: StatusPingTarget): Promise<StatusPing> {
  return new Promise((resolve) => {
    const socket = connect({ host: target.host, port: target.port, noDelay: true });
    const answer = new StatusAnswer();
    const timer = setTimeout(() => finish({ kind: 'silent', why: 'timeout' }), target.timeoutMs);

    function finish(result: StatusPing): void {
      clearTimeout(timer);
      drop(socket);
      resolve(result);
    }

    socket.on('connect', () => socket.write(firstBytes(socket, target)));
    socket.on('data', (chunk) => {
      const result = answer.add(chunk);
      if (result !== null) finish(result);
    });
    socket.on('end', () => finish({ kind: 'silent', why: 'closed' }));
    socket.on('error', (error) => finish({ kind: 'silent', why: reasonOf(error) }));
  });
}

/** In one piece, so that nobody looks at half of it. */
function firstBytes(socket: Socket, { host, port, proxyHeader = false }: StatusPingTarget): Buffer {
  const request = encodeStatusRequest(host, port);
  const { localAddress, localPort, remoteAddress, remotePort } = socket;
  // Gone already again: what is written goes nowhere.
  if (!proxyHeader || localAddress === undefined || remoteAddress === undefined) return request;
  const from = { address: localAddress, port: localPort ?? 0 };
  const to = { address: remoteAddress, port: remotePort ?? port };
  return Buffer.concat([encodeProxyHeader(from, to), request]);
}

function reasonOf(error: NodeJS.ErrnoException): SilentReason {
  if (error.code === 'ECONNREFUSED') return 'refused';
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return 'closed';
  return 'unreachable';
}

/** Closes without listening any more; a late error of a destroyed socket has nobody to go to. */
function drop(socket: Socket): void {
  socket.removeAllListeners('data').removeAllListeners('end');
  socket.destroy();
}
