import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Exit } from '#master/runtime/runtime.ts';
import type { ServiceRecord } from './records.ts';

const REASONS = {
  'out-of-memory': 'ended by the kernel, as it needed more memory than maxJvmMemory and 375 MB beside it',
  'node-restarted': 'its node restarted',
} as const;

/** How a process ended, in words. */
export function describeExit({ code, signal, why }: Exit): string {
  if (why !== undefined) return REASONS[why];
  if (signal !== null) return `signal ${signal}`;
  return code === null ? 'nobody saw how' : `exit code ${code}`;
}

/** Class file version in `UnsupportedClassVersionError`'s message. */
const CLASS_VERSION = /UnsupportedClassVersionError.*class file version (\d+)/;

/**
 * Says in one sentence why a service ended that should not have, from how its process ended and what it printed.
 *
 * @param log its last lines, oldest first
 */
export function explainExit(
  record: Pick<ServiceRecord, 'id' | 'template'>,
  exit: Exit,
  log: readonly string[],
): OverworldError {
  const service = record.id;
  if (log.some((line) => line.includes('You need to agree to the EULA'))) {
    return new OverworldError('EULA_NOT_ACCEPTED', { service, template: record.template });
  }
  const needs = log.map((line) => CLASS_VERSION.exec(line)?.[1]).find((found) => found !== undefined);
  if (needs !== undefined) return new OverworldError('JAVA_TOO_OLD', { service, needs });
  const lastLine = log.findLast((line) => line.trim() !== '') ?? null;
  return new OverworldError('SERVICE_EXITED', { service, exit: describeExit(exit), lastLine });
}
