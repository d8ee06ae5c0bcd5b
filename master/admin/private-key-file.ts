import { open } from 'node:fs/promises';
import ssh2 from 'ssh2';
import { makeUsableKey } from '#shared/usable-key.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { writeDurably } from '#master/store/write-durably.ts';
import { fingerprintOf } from './public-key.ts';

/** A private key in OpenSSH's format is far smaller; anything larger is not ours. */
const MAX_KEY_BYTES = 65_536;

/** A key pair of the master's own: its host key, or its key to the nodes. */
export interface PrivateKey {
  /** OpenSSH private key text. Never logged, never sent. */
  readonly privateKey: string;
  /** `SHA256:…` of its public half; of the host key it is shown to people at the first connection. */
  readonly fingerprint: string;
}

/**
 * Loads a private key, or makes an ed25519 one (mode 0600) when there is none yet.
 * Called by the holder of the data folder's lease only, so two starts cannot make two keys.
 *
 * @throws OverworldError DATA_FOLDER_UNSAFE when other users can read it, DATA_FAULTY when it is no private key
 */
export async function loadPrivateKey(path: string): Promise<PrivateKey> {
  const existing = await readPrivateFile(path);
  if (existing !== undefined) return toPrivateKey(path, existing);
  const made = makeUsableKey(
    () => ssh2.utils.generateKeyPairSync('ed25519', { comment: 'overworld' }).private,
    (key) => !(ssh2.utils.parseKey(key) instanceof Error),
  );
  await writeDurably(path, made, 0o600);
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
    // Windows has no such bits; there the user's profile folder keeps others out.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      const bits = (mode & 0o777).toString(8).padStart(4, '0');
      throw new OverworldError('DATA_FOLDER_UNSAFE', {
        path,
        why: `can be used by other users (mode ${bits}); anybody may have copied it. Make a new one by deleting it, or run: chmod 600 ${path}`,
      });
    }
    if (size > MAX_KEY_BYTES) {
      throw new OverworldError('DATA_FAULTY', {
        path,
        why: `it has ${size} bytes, which no private key has`,
      });
    }
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
