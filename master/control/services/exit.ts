import { OverworldError } from '#shared/errors/overworld-error.ts';
import { featureOfClassFile } from '#shared/java-version.ts';
import type { Exit } from '#master/runtime/runtime.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';

const REASONS = {
  'out-of-memory': 'killed by the kernel, because it needed more memory than maxJvmMemory plus 375 MB',
  'node-restarted': 'its node restarted',
} as const;

/**
 * Returns a phrase about how a process ended, for messages.
 *
 * Example: `{ code: 1, signal: null }` → `exit code 1`.
 */
export function describeExit({ code, signal, why }: Exit): string {
  if (why !== undefined) return REASONS[why];
  if (signal !== null) return `signal ${signal}`;
  return code === null ? 'unknown exit' : `exit code ${code}`;
}

/**
 * Reports whether a server had time to write everything before it exited: it ended by itself, or on SIGTERM, for
 * which JVMs run their shutdown hooks.
 */
export function hasExitedCleanly({ code, signal }: Pick<Exit, 'code' | 'signal'>): boolean {
  return code === 0 || signal === 'SIGTERM';
}

/**
 * Matches the message of a JVM for which the machine cannot provide the memory. The template is not at fault, because
 * the rules allocated that memory on the node.
 */
const NO_MEMORY =
  /insufficient memory for the Java Runtime|Could not reserve enough space for|Native memory allocation .* failed/;

/** Matches the message of the operating system for a full disk. */
const NO_SPACE = /No space left on device|Disk quota exceeded/;

/** Matches the class file version in the message of `UnsupportedClassVersionError`. */
const CLASS_VERSION = /UnsupportedClassVersionError.*class file version (\d+)/;

/**
 * Returns the reason for a service's failure as an error, from its exit and its log. The error is EULA_NOT_ACCEPTED,
 * JAVA_TOO_OLD, DISK_FULL or NODE_OUT_OF_MEMORY if the log names this cause, otherwise SERVICE_EXITED with the last
 * line of the log.
 *
 * @param record record of the service. If the service has been up (`upAt`), its log may contain text from players.
 * DISK_FULL and NODE_OUT_OF_MEMORY are then not returned, because they blame the node
 * @param log the last lines of the log, oldest first
 */
export function explainExit(
  record: Pick<ServiceRecord, 'id' | 'template' | 'node' | 'upAt'>,
  exit: Exit,
  log: readonly string[],
): OverworldError {
  const service = record.id;
  if (log.some((line) => line.includes('You need to agree to the EULA'))) {
    return new OverworldError('EULA_NOT_ACCEPTED', { service, template: record.template });
  }
  const classFile = log.map((line) => CLASS_VERSION.exec(line)?.[1]).find((found) => found !== undefined);
  const needs = featureOfClassFile(Number(classFile));
  if (needs !== null)
    return new OverworldError('JAVA_TOO_OLD', { service, template: record.template, needs });
  const node = record.upAt === null ? record.node : null;
  if (node !== null && log.some((line) => NO_SPACE.test(line)))
    return new OverworldError('DISK_FULL', { path: `${node}: ${service}` });
  if (node !== null && log.some((line) => NO_MEMORY.test(line)))
    return new OverworldError('NODE_OUT_OF_MEMORY', { node, service });
  const lastLine = log.findLast((line) => line.trim() !== '') ?? null;
  return new OverworldError('SERVICE_EXITED', { service, exit: describeExit(exit), lastLine });
}
