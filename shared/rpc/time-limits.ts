import type { MethodName } from './contract.ts';

/** Default time limit for the response to a call (ms). */
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * Time limit for methods that process many files or wait for other servers (ms). The master continues after a
 * timeout, so a short limit would make people start the work a second time. A long limit does little harm: people can
 * cancel most of these methods, and a call fails when the connection breaks.
 */
const LONG_TIMEOUT_MS = 60 * 60_000;
const LONG_METHODS: ReadonlySet<MethodName> = new Set<MethodName>([
  ...(['files.copy', 'files.search', 'files.manifest'] as const),
  ...(['services.keepCopy', 'services.copyToTemplate'] as const),
  ...(['templates.duplicate', 'templates.restoreRevision', 'templates.delete'] as const),
  'templates.createAll',
  ...(['software.builds', 'software.download', 'software.install', 'software.updates'] as const),
  ...(['volumes.save', 'volumes.restore', 'volumes.clone', 'volumes.delete', 'volumes.compare'] as const),
  'volumes.import',
]);

/**
 * Returns how long a client waits for the response to a call (ms).
 *
 * @param ordinaryMs limit for all other methods
 */
export function timeLimitMs(method: MethodName, ordinaryMs = REQUEST_TIMEOUT_MS): number {
  return LONG_METHODS.has(method) ? LONG_TIMEOUT_MS : ordinaryMs;
}
