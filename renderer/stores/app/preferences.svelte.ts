import type { Preferences } from '#shared/ipc/contract.ts';
import { request, subscribe } from '../../bridge/bridge.ts';

/** The person's preferences. Sets `data-density` on the page's root element. The theme has its own store. */
class PreferencesStore {
  /** The preferences. Null until the main process has answered. */
  value = $state.raw<Preferences | null>(null);

  readonly connect = (): (() => void) => {
    let isUpdated = false;
    const stop = subscribe('preferences', (next) => {
      isUpdated = true;
      this.#show(next);
    });
    request('app.preferences', {}).then(
      (first) => {
        if (!isUpdated) this.#show(first);
      },
      () => undefined,
    );
    return stop;
  };

  /**
   * Changes preferences. They apply in the window immediately. If they cannot be stored, the old preferences are
   * restored.
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
