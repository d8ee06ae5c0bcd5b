import type { Link } from '#shared/ipc/contract.ts';
import { request, subscribe } from '../../bridge/bridge.ts';

/** The app's link to its master, as the main process tells it. */
class LinkStore {
  /** Null only until the main process has answered for the first time. */
  value = $state.raw<Link | null>(null);
  readonly connected: boolean = $derived(this.value?.status === 'connected');
  /** Since when it is not connected, ms since epoch; null while it is. */
  lostAt = $state<number | null>(null);
  readonly #onConnected = new Set<(sameRun: boolean) => void>();
  #generation: number | null = null;
  #run: string | null = null;

  /**
   * Calls back on every new connection: everything shown may be old, and what was followed is not any more. `sameRun`: it is
   * the same process of the same master as before, so that its revisions go on.
   */
  readonly onConnected = (listener: (sameRun: boolean) => void): (() => void) => {
    this.#onConnected.add(listener);
    return () => this.#onConnected.delete(listener);
  };

  readonly connect = (): (() => void) => {
    let heard = false;
    const stop = subscribe('link', (next) => {
      heard = true;
      this.#set(next);
    });
    request('link.get', {}).then(
      (first) => {
        // A push that overtook the answer is newer than it.
        if (!heard) this.#set(first);
      },
      () => undefined,
    );
    return stop;
  };

  /** Tries again at once instead of at `retryAt`. */
  readonly retry = async (): Promise<void> => {
    await request('link.retry', {});
  };

  #set(next: Link): void {
    this.lostAt = next.status === 'connected' ? null : (this.lostAt ?? Date.now());
    this.value = next;
    if (next.status !== 'connected' || next.generation === this.#generation) return;
    const sameRun = next.run !== null && next.run === this.#run;
    this.#generation = next.generation;
    this.#run = next.run;
    for (const listener of this.#onConnected) listener(sameRun);
  }
}

export const link = new LinkStore();
