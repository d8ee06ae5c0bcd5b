import type { RequestName } from '#shared/ipc/contract.ts';

/** Nouns (`local` in `local.list`) of requests that the app handles itself, whichever master is in use. */
const ownNouns: ReadonlySet<string> = new Set(['app', 'connections', 'install', 'link', 'local']);

/**
 * Requests of other nouns that the app handles itself, whichever master is in use. Each transfer belongs to the
 * master that it was started with, so these requests cannot reach the wrong master.
 */
const ownRequests: ReadonlySet<RequestName> = new Set<RequestName>([
  ...(['transfers.list', 'transfers.pause', 'transfers.resume', 'transfers.cancel'] as const),
  ...(['transfers.retry', 'transfers.clear', 'files.log', 'files.externalEdits'] as const),
]);

/**
 * Returns whether a request is independent of the master in use. All other requests are for the master that was
 * selected when the page was loaded. After a switch, they must not reach the new master until the page is loaded
 * again.
 */
export function isForAnyMaster(name: RequestName): boolean {
  return ownNouns.has(name.split('.', 1)[0] ?? '') || ownRequests.has(name);
}
