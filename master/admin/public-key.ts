import ssh2 from 'ssh2';
import { fingerprintOf } from '#shared/node/fingerprint.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { isSecurityKeyType, parseSecurityKey } from './security-key.ts';

/** Minimum length of an RSA modulus (bits). Source: NIST SP 800-57 part 1, security strength of 112 bits. */
const MIN_RSA_BITS = 2048;

/** A public key in the form of the SSH protocol. */
export interface PublicKey {
  /** First word of the key's line, for example `ssh-ed25519`. */
  readonly type: string;
  /** Wire form of the key (RFC 4253 6.6). Two keys are equal if their wire forms are equal. */
  readonly blob: Buffer;
  /** Fingerprint in OpenSSH's form: `SHA256:` and unpadded base64. */
  readonly fingerprint: string;
  /** Text after the key on its line, usually `user@machine`. May be empty. */
  readonly comment: string;
}

/** Returns a public key as one line, without its comment. */
export function publicKeyLine(key: Pick<PublicKey, 'type' | 'blob'>): string {
  return `${key.type} ${key.blob.toString('base64')}`;
}

/**
 * Parses one line in the format of `id_ed25519.pub`.
 *
 * @throws OverworldError KEY_INVALID for anything else: private keys, certificates, keys with options, DSA keys, RSA
 *   keys with less than 2048 bits, and security keys that are not for SSH
 */
export function parsePublicKey(line: string): PublicKey {
  const text = line.trim();
  const refuse = (why: string): never => {
    throw new OverworldError('KEY_INVALID', { why });
  };
  if (text === '') refuse('it is empty');
  if (text.includes('PRIVATE KEY')) {
    refuse('it is a private key; keep it secret and use the .pub file instead');
  }
  if (/[\r\n]/.test(text)) refuse('it has more than one line');
  const word = text.split(/\s/, 1)[0] ?? '';
  if (word === 'ssh-dss') refuse('DSA keys are too weak');
  if (word.includes('-cert-')) refuse('it is a certificate, not a key');
  if (isSecurityKeyType(word))
    return securityKeyOf(text) ?? refuse('it cannot be decoded as a security key for SSH');
  const parsed = ssh2.utils.parseKey(text);
  if (parsed instanceof Error) return refuse('it cannot be decoded');
  const blob = parsed.getPublicSSH();
  if (readString(blob, 0).toString('latin1') !== word) refuse('its type does not match the key');
  if (parsed.type === 'ssh-rsa') {
    const bits = rsaBits(blob);
    if (bits < MIN_RSA_BITS) refuse(`RSA with ${bits} bits is too weak (at least ${MIN_RSA_BITS})`);
  }
  return { type: parsed.type, blob, fingerprint: fingerprintOf(blob), comment: parsed.comment };
}

/**
 * Parses the line of a key that is stored on a hardware security key. The SSH library does not support this kind of
 * key. Undefined if the line is of another kind.
 */
function securityKeyOf(line: string): PublicKey | undefined {
  const [word = '', encoded = '', ...comment] = line.split(/\s+/);
  const blob = Buffer.from(encoded, 'base64');
  const key = parseSecurityKey(blob);
  if (key?.type !== word || blob.toString('base64') !== encoded) return undefined;
  return { type: key.type, blob, fingerprint: fingerprintOf(blob), comment: comment.join(' ') };
}

/**
 * Returns the length of an RSA key's modulus (bits). The modulus is the third part of the blob, after type and
 * exponent (RFC 4253 6.6).
 */
function rsaBits(blob: Buffer): number {
  const type = readString(blob, 0);
  const exponent = readString(blob, 4 + type.length);
  const modulus = readString(blob, 8 + type.length + exponent.length);
  const first = modulus.findIndex((byte) => byte !== 0);
  if (first < 0) return 0;
  return (modulus.length - first) * 8 - Math.clz32(modulus[first] ?? 0) + 24;
}

function readString(blob: Buffer, offset: number): Buffer {
  if (offset + 4 > blob.length) return Buffer.alloc(0);
  return blob.subarray(offset + 4, offset + 4 + blob.readUInt32BE(offset));
}
