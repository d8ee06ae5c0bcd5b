import { existsSync } from 'node:fs';
import { readFile, rename } from 'node:fs/promises';
import { makeUsableKey } from '#shared/usable-key.ts';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { fingerprintOf } from '#shared/node/fingerprint.ts';
import type { AppIdentity } from './identity.ts';
import type { Log } from '../environment/log.ts';

/** Encrypts and decrypts texts with a key that the system stores for this user. */
export interface Sealer {
  /** Name of the protection, for the log: `gnome_libsecret`, `keychain`, … */
  readonly name: string;
  seal(text: string): Buffer;
  unseal(data: Buffer): string;
}

const keyFileSchema = z.strictObject({
  version: z.literal(1),
  publicKey: z.string(),
  /** `sealed`: base64 of the encrypted key. `plain`: the key itself, protected only by the file's mode. */
  protection: z.enum(['sealed', 'plain']),
  privateKey: z.string(),
});
type KeyFile = z.infer<typeof keyFileSchema>;

/**
 * Loads the app's ed25519 key. Generates the key at the first start. Stores the key with mode 0600, encrypted if the
 * system supports that.
 *
 * An encrypted key may be unreadable for some time, for example because the system's keyring is locked or belongs to
 * another desktop. Its file then stays unchanged, and the app uses a second, unencrypted key until the first key can
 * be read again. The embedded master receives the second key at its next start. On remote masters, a person must
 * authorize this key.
 *
 * A faulty file is renamed to `.broken`, and a new key is generated.
 *
 * @param sealer null if the system cannot encrypt; the key is then stored as plain text
 */
export async function loadAppKey(path: string, sealer: Sealer | null, log: Log): Promise<AppIdentity> {
  const file = await readKeyFile(path, log);
  if (file === null) return makeKey(path, sealer, log);
  if (file.protection === 'plain') return toIdentity(file.privateKey, file.publicKey);
  try {
    return unseal(file, sealer);
  } catch (error) {
    log.error(
      { err: error, path },
      'the app key cannot be decrypted, so another key is used until the keyring is available again; unlock the ' +
        'keyring and restart the app, or delete the file to create a new key',
    );
    return loadAppKey(`${path}.fallback`, null, log);
  }
}

/** Returns the content of a key file. Returns null if there is none. Moves a faulty file aside and returns null. */
async function readKeyFile(path: string, log: Log): Promise<KeyFile | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const file = keyFileSchema.parse(JSON.parse(text));
    if (file.protection === 'plain') toIdentity(file.privateKey, file.publicKey);
    return file;
  } catch (error) {
    const aside = freePath(`${path}.broken`);
    log.error(
      { err: error, path, aside },
      'the file of the app key is faulty; it was moved aside and a new key is created',
    );
    await rename(path, aside);
    return null;
  }
}

/** Returns the path, or the path with a number appended if an entry has the path. */
function freePath(path: string): string {
  let free = path;
  for (let number = 2; existsSync(free); number++) free = `${path}-${number}`;
  return free;
}

/** @throws Error if the system offers no keyring, or a keyring with which the key was not encrypted */
function unseal(file: KeyFile, sealer: Sealer | null): AppIdentity {
  if (sealer === null) throw new Error('it is encrypted, but the system offers no keyring now');
  return toIdentity(sealer.unseal(Buffer.from(file.privateKey, 'base64')), file.publicKey);
}

async function makeKey(path: string, sealer: Sealer | null, log: Log): Promise<AppIdentity> {
  const { default: ssh2 } = await import('ssh2');
  const pair = makeUsableKey(
    () => ssh2.utils.generateKeyPairSync('ed25519', { comment: 'overworld-app' }),
    ({ private: key }) => !(ssh2.utils.parseKey(key) instanceof Error),
  );
  const identity = toIdentity(pair.private, pair.public);
  const file: KeyFile = {
    version: 1,
    publicKey: pair.public,
    protection: sealer === null ? 'plain' : 'sealed',
    privateKey: sealer === null ? pair.private : sealer.seal(pair.private).toString('base64'),
  };
  await writeFileAtomic(path, `${JSON.stringify(file)}\n`, { mode: 0o600, fsync: true });
  const protection =
    sealer === null
      ? 'the app key is protected by file permissions only; the system offers no keyring'
      : sealer.name;
  log.info({ fingerprint: identity.fingerprint, protection }, 'created the app key');
  return identity;
}

/** Computes the fingerprint from the public key. Does not check that the private key belongs to the public key. */
function toIdentity(privateKey: string, publicKey: string): AppIdentity {
  const [, blob] = publicKey.trim().split(/\s+/);
  if (blob === undefined || !privateKey.includes('PRIVATE KEY')) {
    throw new OverworldError('KEY_INVALID', { why: 'the file contains no key pair' });
  }
  return {
    privateKey,
    publicKey: publicKey.trim(),
    fingerprint: fingerprintOf(Buffer.from(blob, 'base64')),
  };
}
