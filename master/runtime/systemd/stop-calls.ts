import { monotonicMs } from '#shared/node/clock.ts';
import type { ServiceId } from '#shared/model/service.ts';

/** A stop that is in progress. */
interface Running<T> {
  /** Time of TERM on the clock of {@link monotonicMs} (ms). */
  readonly termAt: number;
  readonly done: Promise<T>;
}

/**
 * Stops in progress on one node. A repeated request waits for the stop in progress. A request with a shorter grace
 * period makes another call to the node, which stops the service sooner. Once the service has stopped, all requests
 * resolve.
 */
export class StopCalls<T> {
  readonly #call: (id: ServiceId, graceMs: number, isFirst: boolean) => Promise<T>;
  readonly #running = new Map<ServiceId, Running<T>>();

  /** @param call stops a service; only the first call asks the server to exit */
  constructor(call: (id: ServiceId, graceMs: number, isFirst: boolean) => Promise<T>) {
    this.#call = call;
  }

  /** Reports whether a stop of a service is in progress. */
  has(id: ServiceId): boolean {
    return this.#running.has(id);
  }

  /**
   * Stops a service, or waits for the stop in progress.
   *
   * @param graceMs time for the server to exit on its own (ms); 0 means KILL immediately
   * @returns what `call` returns
   */
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
