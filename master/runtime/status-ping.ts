import { connect, type Socket } from 'node:net';
import { encodeStatusRequest, readAnswerSize, readStatusText } from './status-frame.ts';
import { parseStatusText, type ServerStatus } from './status-text.ts';

/**
 * Why there is no status: `refused` (nothing listens there), `timeout` (no complete answer in time), `closed` (hung up
 * before a complete answer), `unreachable` (no way there), `not minecraft` (answers something else), `no player
 * count` (a server that keeps its players to itself).
 */
export type SilentReason =
  'refused' | 'timeout' | 'closed' | 'unreachable' | 'not minecraft' | 'no player count';

export type StatusPing =
  ({ readonly kind: 'answer' } & ServerStatus) | { readonly kind: 'silent'; readonly why: SilentReason };

export interface StatusPingTarget {
  readonly host: string;
  readonly port: number;
  /** For all of it: connecting, asking, and the whole answer, however slowly it drips. */
  readonly timeoutMs: number;
}

/**
 * Asks a Minecraft server or proxy for its status, as the multiplayer screen does: is it joinable, and who is on it.
 * One connection, closed when done; keeps at most 256 KiB of what arrives. That nobody answers, or nonsense, is a
 * result, never thrown.
 */
export function statusPing(target: StatusPingTarget): Promise<StatusPing> {
  return new Promise((resolve) => {
    const socket = connect({ host: target.host, port: target.port, noDelay: true });
    const answer = new AnswerCollector();
    const timer = setTimeout(() => finish({ kind: 'silent', why: 'timeout' }), target.timeoutMs);

    function finish(result: StatusPing): void {
      clearTimeout(timer);
      drop(socket);
      resolve(result);
    }

    socket.on('connect', () => socket.write(encodeStatusRequest(target.host, target.port)));
    socket.on('data', (chunk) => {
      const result = answer.add(chunk);
      if (result !== null) finish(result);
    });
    socket.on('end', () => finish({ kind: 'silent', why: 'closed' }));
    socket.on('error', (error) => finish({ kind: 'silent', why: reasonOf(error) }));
  });
}

/** Puts the pieces of the one frame that is the answer together. */
class AnswerCollector {
  /** What arrived before the frame's size was known: less than a length field of 5 bytes and the packet id. */
  #start: Buffer = Buffer.alloc(0);
  #frame: Buffer | null = null;
  #filledBytes = 0;

  /** @returns the result once it is certain, null while more is needed */
  add(chunk: Buffer): StatusPing | null {
    let piece = chunk;
    if (this.#frame === null) {
      piece = Buffer.concat([this.#start, chunk]);
      const size = readAnswerSize(piece);
      if (size.kind === 'malformed') return { kind: 'silent', why: 'not minecraft' };
      if (size.kind === 'incomplete') {
        this.#start = piece;
        return null;
      }
      this.#frame = Buffer.alloc(size.value);
    }
    this.#filledBytes += piece.copy(this.#frame, this.#filledBytes);
    return this.#filledBytes < this.#frame.length ? null : readAnswer(this.#frame);
  }
}

function readAnswer(frame: Buffer): StatusPing {
  const text = readStatusText(frame);
  if (text === null) return { kind: 'silent', why: 'not minecraft' };
  const status = parseStatusText(text);
  return typeof status === 'string' ? { kind: 'silent', why: status } : { kind: 'answer', ...status };
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
