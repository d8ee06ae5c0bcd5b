import type { RememberedServer, ServerDraft } from '#shared/ipc/contract.ts';
import type { ServerMemory } from './job-parts.ts';
import type { ServerOfMaster } from '../known-masters.ts';

/**
 * Returns the facts about a server that the app stores. They include the server's host key, but no passwords or
 * passphrases.
 *
 * @throws Error if the job has not connected to the server
 */
export function serverOf(
  { host, port, user, login }: ServerDraft,
  { hostKey }: ServerMemory,
): ServerOfMaster {
  if (hostKey === null) throw new Error('the job has not connected');
  return { host, port, user, login: withoutSecret(login), hostKey };
}

function withoutSecret(login: ServerDraft['login']): RememberedServer['login'] {
  return login.kind === 'keyFile' ? { kind: 'keyFile', path: login.path } : { kind: login.kind };
}
