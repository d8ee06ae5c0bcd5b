import { subscribe } from '../../bridge/bridge.ts';

/** Whether the window is on the screen: not hidden in the tray, and not minimized. A covered window is visible. */
class Visibility {
  #visible = true;
  readonly #listeners = new Set<() => void>();

  get visible(): boolean {
    return this.#visible;
  }

  /** Follows what the main process reports. @returns a function that stops the updates */
  readonly connect = (): (() => void) => subscribe('visible', this.set);

  readonly set = (visible: boolean): void => {
    this.#visible = visible;
    if (!visible) return;
    for (const listener of [...this.#listeners]) listener();
  };

  /** Calls the listener each time the window becomes visible. @returns a function that unsubscribes */
  readonly onVisible = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

export const visibility = new Visibility();
