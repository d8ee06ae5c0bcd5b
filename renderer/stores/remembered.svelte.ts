import { historyRanges, type HistoryRange } from '#shared/model/history.ts';
import { request } from '../bridge/bridge.ts';
import { recent } from './recent.svelte.ts';

/** A choice of two that is kept over restarts: what is folded, wrapped, enlarged. */
class RememberedSwitch {
  on = $state(false);
  readonly #key: string;
  #chosen = false;

  constructor(key: string, first: boolean) {
    this.#key = key;
    this.on = first;
  }

  /** Takes what was kept, unless the person has chosen in the meantime. */
  readonly restore = (memory: Readonly<Record<string, string>>): void => {
    const kept = memory[this.#key];
    if (kept !== undefined && !this.#chosen) this.on = kept === 'on';
  };

  readonly toggle = (): void => {
    this.#chosen = true;
    this.on = !this.on;
    // A choice that cannot be kept is only a small loss at the next start.
    request('app.remember', { key: this.#key, value: this.on ? 'on' : 'off' }).catch(() => undefined);
  };
}

/** A choice of some that is kept over restarts. */
class RememberedChoice<V extends string> {
  value: V;
  readonly #key: string;
  readonly #all: readonly V[];
  #chosen = false;

  constructor(key: string, all: readonly V[], first: V) {
    this.#key = key;
    this.#all = all;
    this.value = $state(first);
  }

  /** Takes what was kept, unless the person has chosen in the meantime. */
  readonly restore = (memory: Readonly<Record<string, string>>): void => {
    const kept = this.#all.find((one) => one === memory[this.#key]);
    if (kept !== undefined && !this.#chosen) this.value = kept;
  };

  readonly choose = (value: V): void => {
    this.#chosen = true;
    this.value = value;
    // A choice that cannot be kept is only a small loss at the next start.
    request('app.remember', { key: this.#key, value }).catch(() => undefined);
  };
}

/** The navigation shows icons alone. */
export const railFolded = new RememberedSwitch('rail.folded', false);
/** The details of a service take the whole place. */
export const detailsAsPage = new RememberedSwitch('details.page', false);
/** Long console lines are broken instead of cut. */
export const consoleWraps = new RememberedSwitch('console.wrap', true);
/** Console lines say when they came. */
export const consoleTimes = new RememberedSwitch('console.times', false);
/** What an edit would do is shown in one line. */
export const foresightFolded = new RememberedSwitch('foresight.folded', false);

/** Span of the charts on Overview. */
export const chartRange = new RememberedChoice<HistoryRange>('overview.range', historyRanges, '1h');

/** Reads all that was kept. */
export async function restoreSwitches(): Promise<void> {
  // Without memory everything begins as new.
  const memory = await request('app.memory', {}).catch((): Record<string, string> => ({}));
  for (const one of [railFolded, detailsAsPage, consoleWraps, consoleTimes, foresightFolded, chartRange])
    one.restore(memory);
  recent.restore(memory);
}
