import type { Identity } from '#main/vault/identity.ts';
import ssh2 from 'ssh2';
import { fingerprintOf } from '#shared/node/fingerprint.ts';
import type { Person } from './master/admin-master.ts';

/** A person's key as the app holds its own. */
export function toIdentity({ privateKey, publicKey }: Person): Identity {
  const parsed = ssh2.utils.parseKey(privateKey);
  if (parsed instanceof Error) throw parsed;
  return { privateKey, publicKey, fingerprint: fingerprintOf(parsed.getPublicSSH()) };
}
