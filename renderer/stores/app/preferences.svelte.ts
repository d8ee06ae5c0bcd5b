import type { Preferences } from '#shared/ipc/contract.ts';
import { request, subscribe } from '../../bridge/bridge.ts';

/** How the app is for this person. Writes `data-density` on the document; the theme has a store of its own. */
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

  /** Changes some, at once in the window. @throws OverworldError when they could not be kept; the old ones are back then */
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
