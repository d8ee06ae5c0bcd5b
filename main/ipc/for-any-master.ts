import type { RequestName } from '#shared/ipc/contract.ts';

/** Nouns of requests that the app handles itself, whichever master is in use. */
const ownNouns: ReadonlySet<string> = new Set(['app', 'connections', 'link', 'local']);

/** Further requests of that kind. Transfers belong to the master that they were started with. */
const ownRequests: ReadonlySet<RequestName> = new Set<RequestName>([
  ...(['transfers.list', 'transfers.pause', 'transfers.resume', 'transfers.cancel'] as const),
  ...(['transfers.retry', 'transfers.clear', 'files.log', 'files.externalEdits'] as const),
]);

/**
 * Returns whether a request means the same whichever master is in use. All others are meant for the master that the
 * page was loaded for; between a switch and the new page they must not reach another one.
 */
export function isForAnyMaster(name: RequestName): boolean {
  return ownNouns.has(name.split('.', 1)[0] ?? '') || ownRequests.has(name);
}
