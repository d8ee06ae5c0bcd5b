import { monotonicMs } from '#shared/node/clock.ts';
import type { ServiceId } from '#shared/model/service.ts';

/** A stop that is under way. */
interface Running<T> {
  /** TERM follows then, by {@link monotonicMs}. */
  readonly termAt: number;
  readonly done: Promise<T>;
}

/**
 * Stops that are under way on one node. Whoever asks again waits for the one that runs; somebody with less patience
 * begins a second one, which ends the service sooner: both then see its end.
 */
export class StopCalls<T> {
  readonly #call: (id: ServiceId, graceMs: number, isFirst: boolean) => Promise<T>;
  readonly #running = new Map<ServiceId, Running<T>>();

  /** @param call ends a service; only the first one asks the server itself to end */
  constructor(call: (id: ServiceId, graceMs: number, isFirst: boolean) => Promise<T>) {
    this.#call = call;
  }

  has(id: ServiceId): boolean {
    return this.#running.has(id);
  }

  /** @param graceMs for the server to end by itself; 0 = KILL at once */
  stop(id: ServiceId, graceMs: number): Promise<T> {
    const termAt = monotonicMs() + graceMs;
    const known = this.#running.get(id);
    if (known !== undefined && known.termAt <= termAt) return known.done;
    const done = this.#call(id, graceMs, known === undefined).finally(() => {
      if (this.#running.get(id) === running) this.#running.delete(id);
    });
    const running: Running<T> = { termAt, done };
    this.#running.set(id, running);
    return done;
  }
}
