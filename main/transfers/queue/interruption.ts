/**
 * Why a transfer was stopped: to go on later (`pause`: a person, `suspend`: the app ends), so that what has arrived is
 * kept. Any other reason takes it back.
 */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly kind: 'pause' | 'suspend';

  constructor(kind: 'pause' | 'suspend') {
    super(`the transfer was interrupted (${kind})`);
    this.kind = kind;
  }
}

/** True when a stopped transfer will go on: what has arrived stays beside its destination. */
export function isInterrupted(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof Interruption;
}
