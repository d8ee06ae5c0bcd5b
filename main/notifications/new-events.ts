import type { ActivityEvent } from '#shared/model/event.ts';

/**
 * Maximum age of an event that is new after a connect (ms). Because of this limit, a link that connects after a night
 * brings no old events.
 */
export const MAX_EVENT_AGE_MS = 15 * 60_000;

/** The connection through which events were read. */
export interface EventSource {
  /** Process of the master: id of its cluster, a space, and its start time (`Link.run`). */
  readonly run: string;
  /** Number of the connection (`Link.generation`). */
  readonly generation: number;
}

/** What the last read has found. */
export interface SeenEvents extends EventSource {
  /** Sequence number of the newest known event; -1 if there was none. */
  readonly seq: number;
}

interface EventRead extends EventSource {
  /** The newest events of the master, in any sequence. */
  readonly events: readonly ActivityEvent[];
  /** Time of the read by the master's clock (ms since epoch). */
  readonly now: number;
}

/**
 * Picks the events that are new since the last read. No event is new in the first read of a cluster, and in the first
 * read of a master that was restored from a backup. The first read after a connect ignores events older than 15
 * minutes. Later reads have no such limit: their events have just occurred, even if the master's clock is behind.
 *
 * @param last null before the first read
 */
export function pickNewEvents(
  last: SeenEvents | null,
  { run, generation, events, now }: EventRead,
): { readonly seen: SeenEvents; readonly events: readonly ActivityEvent[] } {
  const newest = events.reduce((most, { seq }) => Math.max(most, seq), -1);
  const known = last !== null && continues(last, { run, newest }) ? last.seq : null;
  const seen = { run, generation, seq: Math.max(newest, known ?? -1) };
  if (known === null) return { seen, events: [] };
  const isRecent = ({ at }: ActivityEvent) => last?.generation === generation || now - at <= MAX_EVENT_AGE_MS;
  return { seen, events: events.filter((event) => event.seq > known && isRecent(event)) };
}

/**
 * Returns whether the sequence numbers of a read continue those of the last read. After a restore, another process of
 * the same cluster counts on from an earlier number.
 */
function continues(last: SeenEvents, read: { readonly run: string; readonly newest: number }): boolean {
  if (last.run === read.run) return true;
  return clusterOf(last.run) === clusterOf(read.run) && read.newest >= last.seq;
}

function clusterOf(run: string): string | undefined {
  return run.split(' ')[0];
}
