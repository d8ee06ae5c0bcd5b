import type { ActivityEvent } from '#shared/model/event.ts';
import type { LogLine } from '#shared/model/log-line.ts';
import type { Params } from '#shared/rpc/contract.ts';
import type { MasterClient } from './client.ts';

/** Maximum number of events that are fetched at once. */
const MAX_EVENTS = 500;

/**
 * Ends this process as soon as its output is no longer read, as in `service logs -f lobby-1 | head`. Called by
 * commands that print without end.
 */
export function exitWithReader(): void {
  process.stdout.on('error', () => process.exit(0));
}

/**
 * Follows the console of a service: passes the last `count` lines to `onLines`, and then all new lines, each line
 * once. Resolves once the service's process has exited.
 *
 * @throws OverworldError whatever `services.followLog` throws; MASTER_CONNECTION_FAILED
 */
export async function followLog(
  master: MasterClient,
  { id, count }: { readonly id: string; readonly count: number },
  onLines: (lines: readonly LogLine[]) => void,
): Promise<void> {
  let last = -1;
  let early: LogLine[] | null = [];
  const take = (lines: readonly LogLine[]): void => {
    const unseen = lines.filter(({ seq }) => seq > last);
    last = unseen.at(-1)?.seq ?? last;
    if (unseen.length > 0) onLines(unseen);
  };
  const ended = new Promise<void>((resolve) => {
    master.on('service.log', (message) => {
      if (message.id !== id) return;
      // New lines may arrive before the response, although the response contains the lines before them.
      if (early === null) take(message.lines);
      else early.push(...message.lines);
      if (message.ended) resolve();
    });
  });
  const first = await master.call('services.followLog', { id, lines: count });
  take([...first, ...early]);
  early = null;
  await Promise.race([ended, master.lost]);
}

/**
 * Follows the activity log: passes the last `count` events to `onEvents`, and then new events, oldest first.
 *
 * @throws OverworldError MASTER_CONNECTION_FAILED when the connection ends
 */
export async function followActivity(
  master: Pick<MasterClient, 'call' | 'on' | 'lost'>,
  { count, filter }: { readonly count: number; readonly filter: ActivityFilter },
  onEvents: (events: readonly ActivityEvent[]) => void,
): Promise<void> {
  let last = -1;
  let wanted = true;
  let wake = (): void => undefined;
  master.on('stale', ({ topics }) => {
    if (!topics.includes('activity')) return;
    wanted = true;
    wake();
  });
  for (let isFirst = true; ; isFirst = false) {
    if (!wanted) await Promise.race([new Promise<void>((resolve) => (wake = resolve)), master.lost]);
    wanted = false;
    const unseen = isFirst
      ? await master.call('activity.list', { ...filter, limit: count })
      : await eventsAfter(master, last, filter);
    last = unseen[0]?.seq ?? last;
    if (unseen.length > 0) onEvents(unseen.reverse());
  }
}

/** Returns all events after the event `last`, newest first. There may be more of them than one answer contains. */
async function eventsAfter(
  master: Pick<MasterClient, 'call'>,
  last: number,
  filter: ActivityFilter,
): Promise<ActivityEvent[]> {
  const events: ActivityEvent[] = [];
  for (;;) {
    const oldest = events.at(-1)?.seq;
    const before = oldest === undefined ? {} : { before: oldest };
    const page = await master.call('activity.list', { ...filter, ...before, limit: MAX_EVENTS });
    const unseen = page.filter(({ seq }) => seq > last);
    events.push(...unseen);
    if (unseen.length < MAX_EVENTS) return events;
  }
}

/** The part of the filter of `activity.list` that the command line uses. */
export type ActivityFilter = Pick<Params<'activity.list'>, 'template' | 'subject' | 'text'>;
