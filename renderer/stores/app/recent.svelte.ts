import { request } from '../../bridge/bridge.ts';

const KEY = 'palette.recent';
/** Maximum number of stored commands. */
const KEPT = 12;

/** Ids of the last commands that a person chose in the palette, newest first. Stored across restarts. */
class Recent {
  ids = $state.raw<readonly string[]>([]);

  readonly restore = (memory: Readonly<Record<string, string>>): void => {
    const kept = memory[KEY];
    if (kept !== undefined && this.ids.length === 0) this.ids = kept.split('\n').slice(0, KEPT);
  };

  readonly add = (id: string): void => {
    this.ids = [id, ...this.ids.filter((other) => other !== id)].slice(0, KEPT);
    // A failure is ignored: the next start only lacks this choice.
    request('app.remember', { key: KEY, value: this.ids.join('\n') }).catch(() => undefined);
  };
}

export const recent = new Recent();
