import { stripAnsi } from '#shared/text/ansi.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { IngressAccess } from '#master/ingress/ingress-access.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';
import { lastUpOf } from './apply-status.ts';

/** What every game server since Minecraft 1.3 prints when it accepts players, such as `Done (5.123s)! For help, …`. */
const STARTED = /\bDone \([0-9.,]+ ?s\)!/;

/** Number of log lines that are read at once. */
const LINES = 1_000;

/**
 * Stores the current end of the log of a service without status pings in `record.logReadTo`, before the service starts,
 * so that lines of an earlier process do not count as its start. Does nothing for other services.
 *
 * @throws OverworldError as documented for `Runtime.followLog`
 */
export async function noteLogEnd(
  record: ServiceRecord,
  { runtimeOf }: Pick<NodeAccess, 'runtimeOf'>,
): Promise<void> {
  if (record.node === null || record.placed?.statusOff !== true) return;
  const followed = await runtimeOf(record.node).followLog(record.id, 1, () => undefined);
  followed.close();
  record.logReadTo = (followed.lines.at(-1)?.seq ?? -1) + 1;
}

/**
 * Finds out whether a service that answers no status pings has started: its plugin is linked, its log says so, or an
 * earlier master saw its process up. Stores the result in `record.startSeen`. Does nothing for other services.
 *
 * @throws OverworldError as documented for `Runtime.readLog`
 */
export async function noteUnpingedStart(
  record: ServiceRecord,
  { runtimeOf, link }: Pick<NodeAccess, 'runtimeOf'> & Pick<IngressAccess, 'link'>,
): Promise<void> {
  const { id, node, placed } = record;
  if (node === null || placed?.statusOff !== true || record.startSeen || record.state !== 'STARTING') return;
  record.startSeen = link.reportOf(id)?.plugin.state === 'linked' || lastUpOf(record) !== null;
  // New lines are read in each round; an adopted service's log from its beginning.
  let from: number | null = record.logReadTo ?? 0;
  while (!record.startSeen && from !== null) {
    const { lines, next } = await runtimeOf(node).readLog(id, from, LINES);
    record.startSeen = lines.some(({ text }) => STARTED.test(stripAnsi(text)));
    // The last line may be incomplete, so it is read again.
    record.logReadTo = Math.max(from, lines.at(-1)?.seq ?? 0);
    from = next;
  }
}
