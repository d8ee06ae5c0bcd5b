import { createHash } from 'node:crypto';
import { stripAnsi } from '#shared/text/ansi.ts';
import type { LogEnd } from '#master/runtime/runtime.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { IngressAccess } from '#master/ingress/ingress-access.ts';
import { lastUpOf, type ServiceRecord } from '#master/state/services/records.ts';

/**
 * Line that every game server since Minecraft 1.3 prints when it accepts players, such as
 * `Done (5.123s)! For help, …`.
 */
const STARTED = /\bDone \([0-9.,]+ ?s\)!/;

/** Number of log lines that are read at once. */
const LINES = 1_000;

/**
 * Stores the current end of the log in `record.logReadTo`, for a service without status pings. Call it before the
 * service is prepared, so that lines of an earlier process do not count as its start.
 *
 * @returns the end of the log, for a master that adopts the service later; null for a service that answers status
 *   pings
 * @throws OverworldError as documented for `Runtime.followLog`
 */
export async function noteLogEnd(
  record: ServiceRecord,
  { runtimeOf }: Pick<NodeAccess, 'runtimeOf'>,
): Promise<LogEnd | null> {
  if (record.node === null || record.placed?.statusOff !== true) return null;
  const runtime = runtimeOf(record.node);
  const followed = await runtime.followLog(record.id, 1, () => undefined);
  followed.close();
  const last = followed.lines.at(-1);
  record.logReadTo = last === undefined ? 0 : last.seq + 1;
  if (last === undefined) return { lines: 0, lastHash: null };
  const first = await firstLine(record, runtime);
  return { lines: last.seq + 1 - first, lastHash: hashOf(last.text) };
}

/**
 * Returns the number of the log line with which an adopted service's start begins. Line numbers begin anew with each
 * master. Returns the number of the first stored line if the log was cut since the start, or if its end at the start
 * is unknown.
 */
async function firstLineOfStart(record: ServiceRecord, runtime: LogRuntime): Promise<number> {
  const first = await firstLine(record, runtime);
  const { lines, lastHash } = record.placed?.logEnd ?? { lines: 0, lastHash: null };
  if (lines === 0) return first;
  const last = first + lines - 1;
  const [found] = (await runtime.readLog(record.id, last, 1)).lines;
  return found?.seq === last && hashOf(found.text) === lastHash ? last + 1 : first;
}

type LogRuntime = Pick<ReturnType<NodeAccess['runtimeOf']>, 'readLog'>;

/** Returns the number of the first stored line of a log. */
async function firstLine({ id }: ServiceRecord, runtime: LogRuntime): Promise<number> {
  return (await runtime.readLog(id, 0, 1)).lines[0]?.seq ?? 0;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Finds out whether a service that answers no status pings has started: its plugin has reported the number of
 * players, its log says so, or an earlier master observed it up. Stores the result in `record.startSeen`. Does
 * nothing for other services. A linked plugin alone is no proof, because it connects before the server loads its
 * worlds.
 *
 * @throws OverworldError as documented for `Runtime.readLog`
 */
export async function noteUnpingedStart(
  record: ServiceRecord,
  { runtimeOf, link }: Pick<NodeAccess, 'runtimeOf'> & Pick<IngressAccess, 'link'>,
): Promise<void> {
  const { id, node, placed } = record;
  if (node === null || placed?.statusOff !== true || record.startSeen || record.state !== 'STARTING') return;
  const report = link.reportOf(id);
  const isCounted = report?.plugin.state === 'linked' && report.count !== null;
  record.startSeen = isCounted || lastUpOf(record) !== null;
  if (record.startSeen) return;
  const runtime = runtimeOf(node);
  // Each round reads the new lines. For an adopted service, the first round reads all lines since its start.
  let from: number | null = record.logReadTo ?? (await firstLineOfStart(record, runtime));
  while (!record.startSeen && from !== null) {
    const { lines, next } = await runtime.readLog(id, from, LINES);
    record.startSeen = lines.some(({ text }) => STARTED.test(stripAnsi(text)));
    // The last line may be incomplete, so it is read again.
    record.logReadTo = Math.max(from, lines.at(-1)?.seq ?? 0);
    from = next;
  }
}
