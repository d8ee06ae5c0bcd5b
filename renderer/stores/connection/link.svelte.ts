import type { Link } from '#shared/ipc/contract.ts';
import { request, subscribe } from '../../bridge/bridge.ts';

/** State of the app's connection to its master, as the main process reports it. */
class LinkStore {
  /** State of the connection. Null until the main process has reported it. */
  value = $state.raw<Link | null>(null);
  readonly connected: boolean = $derived(this.value?.status === 'connected');
  /** When the app lost the connection (ms since epoch). Null while it is connected. */
  lostAt = $state<number | null>(null);
  readonly #onConnected = new Set<(sameRun: boolean) => void>();
  #generation: number | null = null;
  #run: string | null = null;

  /**
   * Calls the listener after every new connection. All displayed data may then be outdated, and the master has
   * dropped the subscriptions of the old connection. `sameRun` is true if the master's process is the same as before,
   * so that its revision numbers continue.
   *
   * @returns a function that unsubscribes
   */
  readonly onConnected = (listener: (sameRun: boolean) => void): (() => void) => {
    this.#onConnected.add(listener);
    return () => this.#onConnected.delete(listener);
  };

  readonly connect = (): (() => void) => {
    let isUpdated = false;
    const stop = subscribe('link', (next) => {
      isUpdated = true;
      this.#set(next);
    });
    request('link.get', {}).then(
      (first) => {
        // If a push arrived before the response, the push is newer.
        if (!isUpdated) this.#set(first);
      },
      () => undefined,
    );
    return stop;
  };

  /** Connects immediately instead of waiting until `retryAt`. */
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
