import { readAnswerSize, readStatusText } from './status-frame.ts';
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

/** Puts the pieces of a server's answer, one frame, together; keeps no more of it than that frame has. */
export class StatusAnswer {
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
