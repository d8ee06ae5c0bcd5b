import { createPrivateKey } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ssh2 from 'ssh2';

/** Secret that may be in only a few files. */
export interface Canary {
  readonly name: string;
  /** Encodings in which the secret could appear. */
  readonly forms: readonly Buffer[];
  /**
   * Files that may contain the secret (docs/security.md#where-secrets-are). The pattern matches paths in the data
   * folder.
   */
  readonly allowed: RegExp;
}

/** Minimum length of a secret (bytes). A shorter secret could be found by accident. */
const LEAST_BYTES = 12;

export function textCanary(name: string, text: string, allowed: RegExp): Canary {
  const bytes = Buffer.from(text);
  if (bytes.length < LEAST_BYTES) throw new Error(`the secret '${name}' is too short to be searched for`);
  return { name, forms: [bytes, Buffer.from(bytes.toString('hex')), ...base64Of(bytes)], allowed };
}

/** @param bytes the bytes of the secret, such as the private number of a key */
export function bytesCanary(name: string, bytes: Buffer, allowed: RegExp): Canary {
  if (bytes.length < LEAST_BYTES) throw new Error(`the secret '${name}' is too short to be searched for`);
  return { name, forms: [bytes, Buffer.from(bytes.toString('hex')), ...base64Of(bytes)], allowed };
}

/**
 * Returns the base64 text of the bytes for each of the three positions at which they can begin in a group of 3 bytes.
 * Leaves out the characters that also depend on other bytes.
 */
function base64Of(bytes: Buffer): Buffer[] {
  return [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return Buffer.from(text.slice(shift === 0 ? 0 : shift + 1, -2));
  });
}

/** Reads the secrets that a master has generated for itself. {@link tokensIn} reads the tokens of services. */
export async function secretsOf(data: string): Promise<Canary[]> {
  const config = (file: string): Promise<string> => readFile(join(data, 'config', file), 'utf8');
  const link = JSON.parse(await config('link.json')) as { key: string; secret: string };
  const { d = '' } = createPrivateKey(link.key).export({ format: 'jwk' }) as { d?: string };
  const forwarding = JSON.stringify(JSON.parse(await config('forwarding.json')));
  const [, secret = ''] = /"secret":"([^"]+)"/.exec(forwarding) ?? [];
  return [
    bytesCanary('host key', seedOf(await config('host_key')), /^config\/host_key$/),
    bytesCanary('key for nodes', seedOf(await config('node_key')), /^config\/node_key$/),
    bytesCanary('key of the plugin link', Buffer.from(d, 'base64url'), /^config\/link\.json$/),
    bytesCanary('secret of the plugin link', Buffer.from(link.secret, 'base64'), /^config\/link\.json$/),
    textCanary('forwarding secret', secret, /^config\/forwarding\.json$|^services\/[^/]+\/files\//),
  ];
}

/**
 * Returns the 32 secret bytes of an ed25519 key in OpenSSH's format. In this format, they are directly before the
 * public key.
 */
function seedOf(text: string): Buffer {
  const parsed = ssh2.utils.parseKey(text);
  if (parsed instanceof Error) throw parsed;
  const body = Buffer.from(text.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
  const publicKey = parsed.getPublicSSH().subarray(-32);
  const at = body.lastIndexOf(publicKey) - 32;
  if (at < 0) throw new Error('the key is not an ed25519 key');
  return body.subarray(at, at + 32);
}

/** Reads the link tokens of the services in a master's data folder. */
export async function tokensIn(data: string): Promise<Canary[]> {
  const ids = await readdir(join(data, 'services')).catch(() => []);
  const found = await Promise.all(
    ids.map(async (id) => {
      const file = join(data, 'services', id, 'files', 'overworld-link.properties');
      // The service may have been removed since, or may still be incomplete.
      const text = await readFile(file, 'utf8').catch(() => '');
      const token = /^token=(.+)$/m.exec(text)?.[1];
      const allowed = new RegExp(`^services/${id}/files/overworld-link\\.properties$`);
      return token === undefined ? [] : [textCanary(`link token of ${id}`, token, allowed)];
    }),
  );
  return found.flat();
}

/**
 * Returns the names of the secrets in these bytes. Also finds base64 that is split into lines, as in the file of a
 * key.
 */
export function secretsIn(bytes: Buffer, canaries: readonly Canary[]): string[] {
  const joined = Buffer.from(bytes.toString('latin1').replaceAll(/\\[nr]|\s/g, ''), 'latin1');
  const isIn = (form: Buffer): boolean => bytes.includes(form) || joined.includes(form);
  return canaries.filter(({ forms }) => forms.some(isIn)).map(({ name }) => name);
}

/**
 * Finds secrets in files that must not contain them. Returns each file with the name of its secret, such as
 * `logs/x: host key`.
 */
export async function leaksBelow(folder: string, canaries: readonly Canary[]): Promise<string[]> {
  const leaks: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1);
    // The file may have been removed since.
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    const foreign = canaries.filter(({ allowed }) => !allowed.test(name));
    leaks.push(...secretsIn(bytes, foreign).map((secret) => `${name}: ${secret}`));
  }
  return leaks;
}
