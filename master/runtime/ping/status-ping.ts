import { connect, type Socket } from 'node:net';
import { encodeProxyHeader } from './proxy-header.ts';
import { StatusAnswer, type SilentReason, type StatusPing } from './status-answer.ts';
import { encodeStatusRequest } from './status-frame.ts';

export type { StatusPing } from './status-answer.ts';

export interface StatusPingTarget {
  readonly host: string;
  readonly port: number;
  /** Time limit for connecting, the request, and the complete answer, however slowly it arrives (ms). */
  readonly timeoutMs: number;
  /**
   * Whether the service was started to expect a PROXY protocol header (`ServiceSpec.proxyProtocol`). Such a service
   * does not answer without the header.
   */
  readonly proxyHeader?: boolean;
}

/**
 * Asks a Minecraft server or proxy for its status, as the multiplayer screen does: whether the server is joinable,
 * and how many players are online. Uses one connection, takes at most `timeoutMs`, and keeps at most 256 KiB of the
 * answer. Never rejects: a missing or invalid answer is the result `silent`.
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

/** Builds the PROXY header and the request as one buffer, so that the server does not receive only a part of them. */
function firstBytes(socket: Socket, { host, port, proxyHeader = false }: StatusPingTarget): Buffer {
  const request = encodeStatusRequest(host, port);
  const { localAddress, localPort, remoteAddress, remotePort } = socket;
  // Without addresses, the connection is already closed, so it does not matter what is written.
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

/** Closes the socket and removes its listeners. A late error of a destroyed socket is ignored. */
function drop(socket: Socket): void {
  socket.removeAllListeners('data').removeAllListeners('end');
  socket.destroy();
}
