import {
  createHash,
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  timingSafeEqual,
  X509Certificate,
} from 'node:crypto';
import { z } from 'zod';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service-id.ts';
import { openJsonFile, type JsonFile } from '#master/store/json-file.ts';
import { selfSignedCertificate } from './certificate.ts';

const fileSchema = z.object({
  version: z.literal(1),
  /** Private key, PKCS #8 (PEM). */
  key: z.string().min(1),
  /** Certificate, X.509 (PEM). */
  certificate: z.string().min(1),
  /** Secret from which tokens are derived (base64 of 32 bytes). */
  secret: z.base64().length(44),
});
type IdentityFile = z.infer<typeof fileSchema>;

/** Keys and tokens with which the master and plugins prove their identities to each other. They are never logged. */
export interface LinkIdentity {
  /** Private key (PEM). */
  readonly key: string;
  /** Certificate (PEM). */
  readonly certificate: string;
  /** Whether the identity was just created. If true, no plugin has ever been linked with this master. */
  readonly isNew: boolean;
  /** SHA-256 of the certificate (lower-case hex). */
  readonly fingerprint: string;
  /**
   * Returns the token of a service. Tokens are not stored: they are derived from the secret and the service's id. A
   * later service gets the same id, and therefore the same token, only if it has a volume.
   */
  tokenOf(service: ServiceId): string;
  /** Reports whether a token is the token of a service. Compares in constant time. */
  isTokenOf(service: ServiceId, token: string): boolean;
}

/**
 * Opens the link's key, certificate and secret. Creates them at the first start. They are stored with the
 * configuration, so that running services can still identify their master if its state folder is lost.
 *
 * @param path `link.json`, mode 0600
 * @param cluster id of the network, used as the certificate's name
 * @throws OverworldError DATA_FAULTY if the file is invalid; a new file would lock out all running services
 */
export async function openIdentity(
  path: string,
  { cluster, now }: { cluster: string; now: number },
): Promise<LinkIdentity> {
  const file = await openQuietly(path);
  const isNew = file.data === null;
  if (isNew) await file.update(() => makeIdentity(cluster, now));
  const { key, certificate, secret } = fileSchema.parse(file.data);
  const der = checkPair(path, { key, certificate });
  const tokenOf = (service: ServiceId): string =>
    createHmac('sha256', Buffer.from(secret, 'base64')).update(service, 'utf8').digest('hex');
  return {
    key,
    certificate,
    isNew,
    fingerprint: sha256(der).toString('hex'),
    tokenOf,
    // Compares digests, because digests always have the same length, whatever the length of the sent token.
    isTokenOf: (service, token) => timingSafeEqual(sha256(token), sha256(tokenOf(service))),
  };
}

/** Opens the identity file. Its errors contain none of the file's content, unlike the errors of the JSON parser. */
async function openQuietly(path: string): Promise<JsonFile<IdentityFile | null>> {
  try {
    return await openJsonFile<IdentityFile | null>(path, fileSchema.nullable(), null);
  } catch (error) {
    if (!hasCode(error, 'DATA_FAULTY')) throw error;
    throw new OverworldError('DATA_FAULTY', { path, why: 'it was not written by the plugin link' });
  }
}

function makeIdentity(cluster: string, now: number): IdentityFile {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    version: 1,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: selfSignedCertificate({ key: privateKey, name: `overworld ${cluster}`, now }),
    secret: randomBytes(32).toString('base64'),
  };
}

/**
 * Checks that key and certificate belong together.
 *
 * @returns the certificate's bytes
 */
function checkPair(path: string, { key, certificate }: { key: string; certificate: string }): Buffer {
  let parsed: X509Certificate;
  let fits: boolean;
  try {
    parsed = new X509Certificate(certificate);
    fits = parsed.checkPrivateKey(createPrivateKey(key));
  } catch {
    // The parser's error is left out, because such errors may quote the content.
    throw new OverworldError('DATA_FAULTY', { path, why: 'its key or certificate cannot be read' });
  }
  if (!fits) throw new OverworldError('DATA_FAULTY', { path, why: 'its certificate does not match its key' });
  return parsed.raw;
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}
