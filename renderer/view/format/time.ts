const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Formats a duration with its two largest units: 95,000 → `1 m 35 s`; 0–999 → `0 s`. A negative duration counts as 0.
 */
export function toDuration(ms: number): string {
  const length = Math.max(0, ms);
  if (length < MINUTE) return `${Math.floor(length / SECOND)} s`;
  if (length < HOUR) return pair(length, { unit: MINUTE, name: 'm', part: SECOND, partName: 's' });
  if (length < DAY) return pair(length, { unit: HOUR, name: 'h', part: MINUTE, partName: 'm' });
  return pair(length, { unit: DAY, name: 'd', part: HOUR, partName: 'h' });
}

function pair(
  ms: number,
  { unit, name, part, partName }: { unit: number; name: string; part: number; partName: string },
): string {
  const rest = Math.floor((ms % unit) / part);
  return `${Math.floor(ms / unit)} ${name}${rest === 0 ? '' : ` ${rest} ${partName}`}`;
}

/**
 * Formats an age in one unit: `now` below 5 s, `40 s`, `2 m`, `3 h`, `5 d`. A time after `nowMs` becomes `now`,
 * because the clocks of two machines may differ.
 */
export function toAge(atMs: number, nowMs: number): string {
  const age = nowMs - atMs;
  if (age < 5 * SECOND) return 'now';
  if (age < MINUTE) return `${Math.floor(age / SECOND)} s`;
  if (age < HOUR) return `${Math.floor(age / MINUTE)} m`;
  if (age < 2 * DAY) return `${Math.floor(age / HOUR)} h`;
  return `${Math.floor(age / DAY)} d`;
}

/** Formats an age like {@link toAge}, and adds "ago": `now`, `6 m ago`. */
export function toAgo(atMs: number, nowMs: number): string {
  const age = toAge(atMs, nowMs);
  return age === 'now' ? age : `${age} ago`;
}

/** Formats the time until a moment: `in 12 s`, or `now` if the moment has passed. */
export function toCountdown(untilMs: number, nowMs: number): string {
  return untilMs <= nowMs ? 'now' : `in ${toDuration(untilMs - nowMs + SECOND - 1)}`;
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const timeOnly = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' });

/** Formats date and time to the second in the person's locale. */
export function toExactTime(atMs: number): string {
  return exact.format(atMs);
}

/** Formats a moment with a 24-hour clock: `18:04:09` if it is on the day of `nowMs`, else `28 Feb, 18:04`. */
export function toMoment(atMs: number, nowMs: number): string {
  const sameDay = new Date(atMs).toDateString() === new Date(nowMs).toDateString();
  return (sameDay ? timeOnly : dayAndTime).format(atMs);
}
