import type { ServiceId } from '#shared/model/service.ts';
import type { Parts } from './parts.ts';
import { pingTargetOf } from './pinger.ts';
import type { ServiceRecord } from './records.ts';

/** Pause between pings at first, ms: a small server is ready in a tenth of a second. */
const SHORTEST_MS = 10;

/** Longest pause, ms: a server that takes minutes is not asked more often than this. */
const LONGEST_MS = 500;

/** A pause is this part of the time that the start has taken so far: readiness is never seen more than 2 % late. */
const PART = 0.02;

/**
 * Asks services that start, each by itself and often, until they answer: they are seen as soon as they can be joined,
 * and the rounds need not hurry for them.
 */
export class StartWatch {
  readonly #parts: Parts;
  readonly #onAnswer: () => void;
  readonly #watched = new Map<ServiceId, NodeJS.Timeout | null>();
  #closed = false;

  /** @param onAnswer called when a service has answered for the first time */
  constructor(parts: Parts, onAnswer: () => void) {
    this.#parts = parts;
    this.#onAnswer = onAnswer;
  }

  /** Takes up those that start and are not watched yet. */
  look(): void {
    for (const record of this.#parts.records.all) {
      if (!this.#closed && isStarting(record) && !this.#watched.has(record.id)) this.#wait(record);
    }
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#watched.values()) if (timer !== null) clearTimeout(timer);
    this.#watched.clear();
  }

  #wait(record: ServiceRecord): void {
    const timer = setTimeout(
      () => {
        this.#watched.set(record.id, null);
        this.#ask(record).catch((error: unknown) => {
          this.#watched.delete(record.id);
          this.#parts.log.error({ err: error, service: record.id }, 'a start could not be watched');
        });
      },
      pauseMs(this.#parts.now() - record.since),
    );
    this.#watched.set(record.id, timer);
  }

  async #ask(record: ServiceRecord): Promise<void> {
    const { id } = record;
    const target = pingTargetOf(record);
    const answered = target !== null && isStarting(record) && (await this.#parts.pinger.pingOne(target));
    if (this.#closed) return;
    if (!answered && isStarting(record)) {
      this.#wait(record);
      return;
    }
    this.#watched.delete(id);
    if (answered) this.#onAnswer();
  }
}

function isStarting({ state, address, stopping }: ServiceRecord): boolean {
  return state === 'STARTING' && address !== null && stopping === null;
}

/** Example: after 0.1 s again in 10 ms, after 5 s in 100 ms, after a minute in 500 ms. */
function pauseMs(startingForMs: number): number {
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, startingForMs * PART));
}
