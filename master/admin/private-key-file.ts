import { open } from 'node:fs/promises';
import ssh2 from 'ssh2';
import { makeUsableKey } from '#shared/usable-key.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { diskError } from '#master/store/disk-error.ts';
import { writeDurably } from '#master/store/write-durably.ts';
import { fingerprintOf } from '#shared/node/fingerprint.ts';

/** Maximum size of a private key file (bytes). A key in OpenSSH's format is far smaller. */
const MAX_KEY_BYTES = 65_536;

/** A key pair of the master: its host key, or the key with which it logs in to nodes. */
export interface PrivateKey {
  /** Private key in OpenSSH's text format. It is never logged and never sent. */
  readonly privateKey: string;
  /**
   * Fingerprint of the public key, `SHA256:…`. People compare the fingerprint of the host key at their first
   * connection.
   */
  readonly fingerprint: string;
}

/**
 * Loads a private key. If the file does not exist, generates an ed25519 key (mode 0600). Only the holder of the data
 * folder's lease may call this function, so that two masters that start at the same time cannot generate two keys.
 *
 * @throws OverworldError DATA_FOLDER_UNSAFE if other users can read the file, DATA_FAULTY if the file does not
 *   contain a private key, DISK_FULL
 */
export async function loadPrivateKey(path: string): Promise<PrivateKey> {
  const existing = await readPrivateFile(path);
  if (existing !== undefined) return toPrivateKey(path, existing);
  const made = makeUsableKey(
    () => ssh2.utils.generateKeyPairSync('ed25519', { comment: 'overworld' }).private,
    (key) => !(ssh2.utils.parseKey(key) instanceof Error),
  );
  await writeDurably(path, made, 0o600).catch((error: unknown) => {
    throw diskError(path, error);
  });
  return toPrivateKey(path, made);
}

function toPrivateKey(path: string, privateKey: string): PrivateKey {
  const parsed = ssh2.utils.parseKey(privateKey);
  if (parsed instanceof Error) {
    throw new OverworldError('DATA_FAULTY', { path, why: 'it is not a private key' }, parsed);
  }
  if (!parsed.isPrivateKey()) {
    throw new OverworldError('DATA_FAULTY', { path, why: 'it is a public key, not a private one' });
  }
  return { privateKey, fingerprint: fingerprintOf(parsed.getPublicSSH()) };
}

async function readPrivateFile(path: string): Promise<string | undefined> {
  let file;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    const why = `cannot be opened: ${(error as Error).message}`;
    throw new OverworldError('DATA_FOLDER_UNSAFE', { path, why }, error);
  }
  try {
    const { mode, size } = await file.stat();
    // Windows has no such permission bits. There, the permissions of the user's profile folder protect the file.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      const bits = (mode & 0o777).toString(8).padStart(4, '0');
      throw new OverworldError('DATA_FOLDER_UNSAFE', {
        path,
        why: `is accessible to other users (mode ${bits}) and may have been copied. Delete it to create a new one, or run: chmod 600 ${path}`,
      });
    }
    if (size > MAX_KEY_BYTES) {
      throw new OverworldError('DATA_FAULTY', {
        path,
        why: `it has ${size} bytes, which is not the size of a private key`,
      });
    }
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
