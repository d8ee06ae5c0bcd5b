import type { Theme } from '#shared/ipc/contract.ts';
import { request, subscribe } from '../../bridge/bridge.ts';

/** Theme of the window: light, dark, or the system's theme. Sets `data-theme` on the page's root element. */
class ThemeStore {
  choice = $state<Theme>('system');

  readonly connect = (): (() => void) => {
    const dark = window.matchMedia('(prefers-color-scheme: dark)');
    const show = (): void => {
      const shown = this.choice === 'system' ? (dark.matches ? 'dark' : 'light') : this.choice;
      document.documentElement.dataset['theme'] = shown;
    };
    this.#show = show;
    show();
    dark.addEventListener('change', show);
    request('app.preferences', {}).then(
      ({ theme }) => {
        this.choice = theme;
        show();
      },
      () => undefined,
    );
    // Other screens and scripts may also change the theme, without a call of `set`.
    const stop = subscribe('preferences', ({ theme }) => {
      this.choice = theme;
      show();
    });
    return () => {
      dark.removeEventListener('change', show);
      stop();
    };
  };

  #show: () => void = () => undefined;

  /** Applies a theme immediately and stores it. @throws OverworldError if it cannot be stored */
  readonly set = async (theme: Theme): Promise<void> => {
    this.choice = theme;
    this.#show();
    await request('app.setPreferences', { theme });
  };
}

export const theme = new ThemeStore();
