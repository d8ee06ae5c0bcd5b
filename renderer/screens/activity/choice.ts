import type { ActivityFilter } from '../../stores/activity.svelte.ts';
import { kindsOf, type EventGroup } from '../../view/event.ts';

/** Time ranges offered by the filter of the Activity screen. */
export const spanWords = {
  any: 'Any time',
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  between: 'From … until …',
} as const;
export type EventSpan = keyof typeof spanWords;

/** A person's filter settings. A setting with an empty text does not filter. */
export interface EventChoice {
  group: EventGroup | '';
  actor: string;
  template: string;
  text: string;
  span: EventSpan;
  /** Start and end as local times in the format of date fields. Used only for `between`. */
  from: string;
  until: string;
}

export const NO_CHOICE: Readonly<EventChoice> = {
  group: '',
  actor: '',
  template: '',
  text: '',
  span: 'any',
  from: '',
  until: '',
};

const HOUR_MS = 3_600_000;
const lengthOf: Partial<Record<EventSpan, number>> = {
  '1h': HOUR_MS,
  '24h': 24 * HOUR_MS,
  '7d': 168 * HOUR_MS,
};

/**
 * Converts filter settings to the master's filter.
 *
 * @param now when the time range was chosen, by the master's clock (ms since epoch)
 */
export function toFilter(choice: EventChoice, now: number): ActivityFilter {
  const { group, actor, template, text, span } = choice;
  const length = lengthOf[span];
  const from = length === undefined ? toTime(span, choice.from) : now - length;
  const until = toTime(span, choice.until);
  return {
    ...(group === '' ? {} : { kinds: kindsOf(group) }),
    ...(actor === '' ? {} : { actor }),
    ...(template === '' ? {} : { template }),
    ...(text === '' ? {} : { text: text.slice(0, MOST_TEXT) }),
    ...(from === null ? {} : { from }),
    ...(until === null ? {} : { until }),
  };
}

/** Maximum length of the search text that the master accepts (characters). */
const MOST_TEXT = 200;

function toTime(span: EventSpan, local: string): number | null {
  const at = span === 'between' ? new Date(local).getTime() : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

/** Returns whether the settings leave out any events. */
export function isFiltered(choice: EventChoice): boolean {
  return Object.keys(toFilter(choice, 0)).length > 0;
}
