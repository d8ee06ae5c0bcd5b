import { hasCode, type OverworldError } from '#shared/errors/overworld-error.ts';

/**
 * Reports whether a start failed because of its node. Such causes are, for example, a full disk, missing Java, too
 * little memory, no free port, and a node that does not carry out commands. Another node may then be able to start
 * the service. Any other error (no server.jar, EULA, a crash) would occur on every node, and counts against the
 * template. The category of the error code decides: `shared/errors/codes/`.
 *
 * Example: `DISK_FULL` → true; `EULA_NOT_ACCEPTED` → false.
 */
export function isNodeFault({ category }: Pick<OverworldError, 'category'>): boolean {
  return category === 'node';
}

/**
 * Reports whether a failure that counts against the node concerns only the template: the node cannot get the Java that
 * the template needs. Templates that need another Java can still start there.
 */
export function isForTemplateOnly(error: OverworldError): boolean {
  return hasCode(error, 'JAVA_UNAVAILABLE');
}
