import type { Preferences } from '#shared/ipc/contract.ts';
import { request, subscribe } from '../../bridge/bridge.ts';

/** Preferences of this person. Sets `data-density` on the document; the theme has its own store. */
class PreferencesStore {
  /** Null until the main process has answered. */
  value = $state.raw<Preferences | null>(null);

  readonly connect = (): (() => void) => {
    let heard = false;
    const stop = subscribe('preferences', (next) => {
      heard = true;
      this.#show(next);
    });
    request('app.preferences', {}).then(
      (first) => {
        if (!heard) this.#show(first);
      },
      () => undefined,
    );
    return stop;
  };

  /**
   * Changes preferences, in the window immediately. Restores the old ones if the new ones cannot be stored.
   *
   * @throws OverworldError
   */
  readonly set = async (change: Partial<Preferences>): Promise<void> => {
    const before = this.value;
    if (before !== null) this.#show({ ...before, ...change });
    try {
      this.#show(await request('app.setPreferences', change));
    } catch (thrown) {
      if (before !== null) this.#show(before);
      throw thrown;
    }
  };

  #show(next: Preferences): void {
    this.value = next;
    document.documentElement.dataset['density'] = next.density;
  }
}

export const preferences = new PreferencesStore();
