import ssh2 from 'ssh2';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { makeUsableKey } from '#shared/usable-key.ts';
import type { MachineSeed } from '../machines.ts';
import { fingerprintOf } from '#shared/node/fingerprint.ts';
import { renderUserData, type KeyPair } from './user-data.ts';

/**
 * Creates the seed of a new machine: its own host key and its user data. The master keeps only the fingerprint of
 * the host key.
 *
 * @param options.key private key of the master for its nodes (OpenSSH text)
 * @param options.sshPort SSH port of the node (`provider.server_port`)
 * @throws OverworldError INTERNAL if `options.key` is not a private key
 */
export function makeMachineSeed(options: { readonly key: string; readonly sshPort: number }): MachineSeed {
  const hostKey = makeHostKey();
  const masterKey = publicKeyOf(options.key);
  return {
    userData: renderUserData({ hostKey, masterKey, sshPort: options.sshPort }),
    hostKey: fingerprintOf(parseKey(hostKey.private).blob),
  };
}

/**
 * Returns the public key line of a private key.
 *
 * @param privateKey OpenSSH text
 * @throws OverworldError INTERNAL if the text is not a private key
 */
export function publicKeyOf(privateKey: string): string {
  const { type, blob } = parseKey(privateKey);
  return `${type} ${blob.toString('base64')} overworld-master`;
}

function makeHostKey(): KeyPair {
  return makeUsableKey(
    () => ssh2.utils.generateKeyPairSync('ed25519', { comment: 'overworld-first' }),
    ({ private: key }) => !(ssh2.utils.parseKey(key) instanceof Error),
  );
}

function parseKey(privateKey: string): { readonly type: string; readonly blob: Buffer } {
  const parsed = ssh2.utils.parseKey(privateKey);
  if (parsed instanceof Error) {
    throw new OverworldError('INTERNAL', { what: 'the key for nodes is not a private key' }, parsed);
  }
  return { type: parsed.type, blob: parsed.getPublicSSH() };
}
