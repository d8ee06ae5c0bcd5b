import { historyRanges, type HistoryRange } from '#shared/model/history.ts';
import { request } from '../../bridge/bridge.ts';
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

/** Time without a further change before a number is stored (ms): dragging changes it many times a second. */
const STORE_AFTER_MS = 300;

/** A number between two bounds that survives restarts: where a splitter stands. */
class RememberedNumber {
  value: number;
  readonly least: number;
  readonly most: number;
  readonly #key: string;
  #chosen = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(key: string, { first, least, most }: { first: number; least: number; most: number }) {
    this.#key = key;
    this.least = least;
    this.most = most;
    this.value = $state(first);
  }

  /** Takes the stored value, unless the person has chosen in the meantime. */
  readonly restore = (memory: Readonly<Record<string, string>>): void => {
    const kept = Number(memory[this.#key] ?? NaN);
    if (kept >= this.least && kept <= this.most && !this.#chosen) this.value = kept;
  };

  readonly choose = (value: number): void => {
    this.#chosen = true;
    this.value = Math.min(this.most, Math.max(this.least, value));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // A choice that cannot be stored is only a small loss at the next start.
      request('app.remember', { key: this.#key, value: String(this.value) }).catch(() => undefined);
    }, STORE_AFTER_MS);
  };
}

/** The navigation shows icons alone. */
export const railFolded = new RememberedSwitch('rail.folded', false);
/** The details of a service take the whole place. */
export const detailsAsPage = new RememberedSwitch('details.page', false);
/** Share of the list beside a service's details, percent. */
export const detailsFrom = new RememberedNumber('details.from', { first: 54, least: 25, most: 75 });
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
  const switches = [railFolded, detailsAsPage, consoleWraps, consoleTimes, foresightFolded];
  for (const one of [...switches, chartRange, detailsFrom]) one.restore(memory);
  recent.restore(memory);
}
