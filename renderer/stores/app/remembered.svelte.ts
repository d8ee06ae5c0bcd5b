import { historyRanges, type HistoryRange } from '#shared/model/history.ts';
import { request } from '../../bridge/bridge.ts';
import { recent } from './recent.svelte.ts';

/** An on/off setting that is stored across restarts, such as whether the navigation is collapsed. */
class RememberedSwitch {
  on = $state(false);
  readonly #key: string;
  #chosen = false;

  constructor(key: string, first: boolean) {
    this.#key = key;
    this.on = first;
  }

  /** Sets the stored value, unless the person has already chosen another one. */
  readonly restore = (memory: Readonly<Record<string, string>>): void => {
    const kept = memory[this.#key];
    if (kept !== undefined && !this.#chosen) this.on = kept === 'on';
  };

  readonly toggle = (): void => {
    this.#chosen = true;
    this.on = !this.on;
    // A failure is ignored: the next start only uses an older value.
    request('app.remember', { key: this.#key, value: this.on ? 'on' : 'off' }).catch(() => undefined);
  };
}

/** A setting with several possible values that is stored across restarts. */
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

  /** Sets the stored value, unless the person has already chosen another one. */
  readonly restore = (memory: Readonly<Record<string, string>>): void => {
    const kept = this.#all.find((one) => one === memory[this.#key]);
    if (kept !== undefined && !this.#chosen) this.value = kept;
  };

  readonly choose = (value: V): void => {
    this.#chosen = true;
    this.value = value;
    // A failure is ignored: the next start only uses an older value.
    request('app.remember', { key: this.#key, value }).catch(() => undefined);
  };
}

/** Time without a further change before a number is stored (ms), because dragging changes it many times a second. */
const STORE_AFTER_MS = 300;

/** A number between two limits that is stored across restarts, such as the position of a splitter. */
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

  /** Sets the stored value, unless the person has already chosen another one. */
  readonly restore = (memory: Readonly<Record<string, string>>): void => {
    const kept = Number(memory[this.#key] ?? NaN);
    if (kept >= this.least && kept <= this.most && !this.#chosen) this.value = kept;
  };

  readonly choose = (value: number): void => {
    this.#chosen = true;
    this.value = Math.min(this.most, Math.max(this.least, value));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // A failure is ignored: the next start only uses an older value.
      request('app.remember', { key: this.#key, value: String(this.value) }).catch(() => undefined);
    }, STORE_AFTER_MS);
  };
}

/** Whether the navigation shows icons only. */
export const railFolded = new RememberedSwitch('rail.folded', false);
/** Whether the details of a service fill the whole screen. */
export const detailsAsPage = new RememberedSwitch('details.page', false);
/** Width of the list of services beside the details of a service (percent of the screen). */
export const detailsFrom = new RememberedNumber('details.from', { first: 54, least: 25, most: 75 });
/** Whether long console lines are wrapped instead of cut. */
export const consoleWraps = new RememberedSwitch('console.wrap', true);
/** Whether console lines show their time of arrival. */
export const consoleTimes = new RememberedSwitch('console.times', false);
/** Whether the preview of an edit is collapsed to one line. */
export const previewFolded = new RememberedSwitch('foresight.folded', false);

/** Time range of the charts on the Overview screen. */
export const chartRange = new RememberedChoice<HistoryRange>('overview.range', historyRanges, '1h');

/**
 * Loads the stored choices of the window, such as the collapsed navigation. Choices that the person has changed since
 * the start stay unchanged. If the stored choices cannot be read, all choices keep their defaults.
 */
export async function restoreSwitches(): Promise<void> {
  // If the settings cannot be read, all of them have their defaults.
  const memory = await request('app.memory', {}).catch((): Record<string, string> => ({}));
  const switches = [railFolded, detailsAsPage, consoleWraps, consoleTimes, previewFolded];
  for (const one of [...switches, chartRange, detailsFrom]) one.restore(memory);
  recent.restore(memory);
}
