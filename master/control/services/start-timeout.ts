import { OverworldError } from '#shared/errors/overworld-error.ts';
import { startVerdict } from '#master/core/next-state.ts';
import { readServerProperty, SERVER_PROPERTIES } from '#master/templates/configs/server-properties.ts';
import { readServiceFile } from '#master/templates/service-files.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';

type Known = Pick<Documents, 'templates' | 'sharedFiles'> &
  Pick<Environment, 'now' | 'limits'> &
  Pick<NodeAccess, 'consoleLogs'>;

/** A start that timed out. */
export interface StartTimeout {
  readonly verdict: 'log-quiet' | 'too-long';
  /** How long the start has taken (ms). */
  readonly tookMs: number;
}

/**
 * Decides whether the start of a service has timed out: the service answers no status ping, and its log has stopped
 * changing or the maximum time is over.
 *
 * @param since when the service's start began, or when this master adopted the service (ms since epoch)
 * @returns null while the start may continue
 */
export async function startTimeout(
  record: ServiceRecord,
  since: number,
  known: Known,
): Promise<StartTimeout | null> {
  const { startTimeoutMs, startQuietMs, startMaximumMs } = known.limits;
  const tookMs = known.now() - since;
  // The log is read only if the result depends on it.
  if (tookMs <= startTimeoutMs) return null;
  const logChangedAt = await known.consoleLogs.changedAt(record.id);
  const quietMs = known.now() - Math.max(since, logChangedAt ?? since);
  const limits = { timeoutMs: startTimeoutMs, quietMs: startQuietMs, maximumMs: startMaximumMs };
  const verdict = startVerdict({ tookMs, quietMs }, limits);
  return verdict === 'goes-on' ? null : { verdict, tookMs };
}

/** Explains why a start timed out, and what to do. Reads the service's files. */
export async function explainStartTimeout(
  record: ServiceRecord,
  { verdict }: StartTimeout,
  known: Known,
): Promise<OverworldError> {
  const { startTimeoutMs, startMaximumMs } = known.limits;
  const afterMs = verdict === 'too-long' ? startMaximumMs : startTimeoutMs;
  const why = (await hasStatusOff(record, known)) ? 'status-off' : verdict;
  return new OverworldError('SERVICE_START_TIMEOUT', { service: record.id, afterMs, why });
}

/** Reports whether the service's files disable status pings, so that a successful start could never be detected. */
async function hasStatusOff(
  { placed, template }: ServiceRecord,
  { templates, sharedFiles }: Known,
): Promise<boolean> {
  if (placed === null || placed.values.isProxy) return false;
  const { revision, values } = placed;
  const source = { id: template, revision, defaultServiceFiles: values.defaultServiceFiles };
  const text = await readServiceFile(source, SERVER_PROPERTIES, {
    templates,
    sharedFiles: sharedFiles.folder,
  });
  const value = text === null ? null : readServerProperty(text, 'enable-status');
  // Servers treat every value other than `true` as false.
  return value !== null && value.toLowerCase() !== 'true';
}
