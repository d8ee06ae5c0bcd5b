import type { AppIdentity } from '#main/vault/identity.ts';
import ssh2 from 'ssh2';
import { fingerprintOf } from '#shared/node/fingerprint.ts';
import type { Person } from './master/admin-master.ts';

/** Converts a person's key to the form of the app's own key. */
export function toIdentity({ privateKey, publicKey }: Person): AppIdentity {
  const parsed = ssh2.utils.parseKey(privateKey);
  if (parsed instanceof Error) throw parsed;
  return { privateKey, publicKey, fingerprint: fingerprintOf(parsed.getPublicSSH()) };
}
