/**
 * Abort reason for a transfer that will be resumed. `pause`: a person has paused it. `suspend`: the app quits. The
 * transfer's partial files are kept. After any other abort reason, they are deleted.
 */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly kind: 'pause' | 'suspend';

  constructor(kind: 'pause' | 'suspend') {
    super(`the transfer was interrupted (${kind})`);
    this.kind = kind;
  }
}

/** Returns whether a stopped transfer will be resumed, so that its partial files are kept. */
export function isInterrupted(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof Interruption;
}
