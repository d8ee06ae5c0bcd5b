import { readAnswerSize, readStatusText } from './status-frame.ts';
import { parseStatusText, type ReportedStatus } from './status-text.ts';

/**
 * Reason why there is no status:
 * - `refused`: nothing listens on the port
 * - `timeout`: no complete answer in time
 * - `closed`: the connection was closed before a complete answer
 * - `unreachable`: no route to the host
 * - `not minecraft`: the answer is of another protocol
 * - `no player count`: the server does not reveal its players
 */
export type SilentReason =
  'refused' | 'timeout' | 'closed' | 'unreachable' | 'not minecraft' | 'no player count';

export type StatusPing =
  ({ readonly kind: 'answer' } & ReportedStatus) | { readonly kind: 'silent'; readonly why: SilentReason };

/**
 * Assembles a server's answer, a single frame, from the pieces that arrive. Stores no more bytes than the frame
 * has.
 */
export class StatusAnswer {
  /** Bytes received before the frame's size was known: fewer than a length field of 5 bytes plus the packet id. */
  #start: Buffer = Buffer.alloc(0);
  #frame: Buffer | null = null;
  #filledBytes = 0;

  /**
   * Adds received bytes.
   *
   * @returns the result as soon as it is certain; null if more bytes are needed
   */
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
