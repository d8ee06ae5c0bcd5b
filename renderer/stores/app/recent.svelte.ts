import { request } from '../../bridge/bridge.ts';

const KEY = 'palette.recent';
/** What somebody did longer ago than this they have forgotten, too. */
const KEPT = 12;

/** What was chosen in the palette last, newest first; kept over restarts. */
class Recent {
  ids = $state.raw<readonly string[]>([]);

  readonly restore = (memory: Readonly<Record<string, string>>): void => {
    const kept = memory[KEY];
    if (kept !== undefined && this.ids.length === 0) this.ids = kept.split('\n').slice(0, KEPT);
  };

  readonly add = (id: string): void => {
    this.ids = [id, ...this.ids.filter((other) => other !== id)].slice(0, KEPT);
    // What cannot be remembered is only a small loss at the next start.
    request('app.remember', { key: KEY, value: this.ids.join('\n') }).catch(() => undefined);
  };
}

export const recent = new Recent();
