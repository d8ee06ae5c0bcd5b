import { OverworldError } from '#shared/errors/overworld-error.ts';
import { startVerdict } from '#master/core/next-state.ts';
import { readServerProperty, SERVER_PROPERTIES } from '#master/templates/configs/server-properties.ts';
import { readServiceFile } from '#master/templates/service-files.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { StartValues } from '#master/state/services/started-from.ts';
import { timeLimitsOf } from '#master/state/services/time-limits.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { ServiceRecord, StartWatch } from '#master/state/services/records.ts';

type Known = Pick<Documents, 'config' | 'templates' | 'sharedFiles'> &
  Pick<Environment, 'now' | 'limits'> &
  Pick<NodeAccess, 'consoleLogs'>;

/** The start of a service, after it has timed out. */
export interface StartTimeout {
  readonly verdict: 'log-quiet' | 'too-long';
  /** How long the start has taken (ms). */
  readonly tookMs: number;
}

/**
 * Maximum time between two observations of a start that counts as part of the start (ms). If it is longer, the machine
 * of the master was asleep, its clock was set, or the node did not answer.
 */
const MAX_GAP_MS = 10_000;

/**
 * Decides whether the start of a service has timed out. Call it in each round in which the service is observed, but
 * only while the service has not answered a status ping. The start has timed out if it takes longer than the timeout
 * and the log has stopped changing, or if it takes longer than the maximum. Of the time between two calls, at
 * most 10 s count. For this, each call updates the record's `startWatch`.
 *
 * @param since when the service's start began, or when this master adopted the service (ms since epoch)
 * @returns null while the start may continue
 */
export async function startTimeout(
  record: ServiceRecord,
  since: number,
  known: Known,
): Promise<StartTimeout | null> {
  const { startTimeoutMs, startQuietMs, startMaximumMs } = limitsOf(record, known);
  const { tookMs, unbrokenSince } = watchStart(record, since, known.now());
  // The log is read only if the result depends on it.
  if (tookMs <= startTimeoutMs) return null;
  const logChangedAt = await known.consoleLogs.changedAt(record.id);
  const quietMs = known.now() - Math.max(unbrokenSince, logChangedAt ?? 0);
  const limits = { timeoutMs: startTimeoutMs, quietMs: startQuietMs, maximumMs: startMaximumMs };
  const verdict = startVerdict({ tookMs, quietMs }, limits);
  return verdict === 'goes-on' ? null : { verdict, tookMs };
}

/** Adds the time since the last observation of a service's start to its `startWatch`, and returns the result. */
function watchStart(record: ServiceRecord, since: number, now: number): StartWatch {
  const { at, tookMs, unbrokenSince } = record.startWatch ?? { at: since, tookMs: 0, unbrokenSince: since };
  const passedMs = now - at;
  const isBroken = passedMs < 0 || passedMs > MAX_GAP_MS;
  record.startWatch = {
    at: now,
    tookMs: tookMs + Math.min(Math.max(0, passedMs), MAX_GAP_MS),
    unbrokenSince: isBroken ? now : unbrokenSince,
  };
  return record.startWatch;
}

/**
 * Returns the limits of a service's start (ms). If the template's timeout is above the maximum, the maximum is raised
 * to it.
 */
function limitsOf(record: ServiceRecord, known: Known) {
  const { startTimeoutMs } = timeLimitsOf(record, known);
  const { startQuietMs, startMaximumMs } = known.limits;
  return { startTimeoutMs, startQuietMs, startMaximumMs: Math.max(startMaximumMs, startTimeoutMs) };
}

/** Returns the error SERVICE_START_TIMEOUT with the reason why a start timed out. */
export function explainStartTimeout(
  record: ServiceRecord,
  { verdict }: StartTimeout,
  known: Known,
): OverworldError {
  const { startTimeoutMs, startMaximumMs } = limitsOf(record, known);
  const afterMs = verdict === 'too-long' ? startMaximumMs : startTimeoutMs;
  const why = record.placed?.statusOff === true ? 'status-off' : verdict;
  return new OverworldError('SERVICE_START_TIMEOUT', { service: record.id, afterMs, why });
}

/** The files from which a service starts. */
interface StartFiles {
  readonly revision: string;
  readonly values: Pick<StartValues, 'isProxy' | 'defaultServiceFiles'>;
}

/**
 * Reports whether the files of a service switch off status pings (`enable-status` in `server.properties`). Such a
 * service never answers a ping. Returns false for a proxy.
 */
export async function hasStatusOff(
  template: TemplateId,
  { revision, values }: StartFiles,
  { templates, sharedFiles }: Pick<Documents, 'templates' | 'sharedFiles'>,
): Promise<boolean> {
  if (values.isProxy) return false;
  const source = { id: template, revision, defaultServiceFiles: values.defaultServiceFiles };
  const text = await readServiceFile(source, SERVER_PROPERTIES, {
    templates,
    sharedFiles: sharedFiles.folder,
  });
  const value = text === null ? null : readServerProperty(text, 'enable-status');
  // Servers treat every value other than `true` as false.
  return value !== null && value.toLowerCase() !== 'true';
}
