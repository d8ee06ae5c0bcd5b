import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';

/**
 * Types of the keys that OpenSSH creates on security keys, which are hardware (FIDO2): `ssh-keygen -t ed25519-sk` and
 * `-t ecdsa-sk`.
 */
const ED25519_SK = 'sk-ssh-ed25519@openssh.com';
const ECDSA_SK = 'sk-ecdsa-sha2-nistp256@openssh.com';
export const securityKeyTypes = [ED25519_SK, ECDSA_SK] as const;

/**
 * Prefix of the application for which OpenSSH creates a key. Keys of web sites have other applications, so no site
 * can obtain a signature for a login.
 */
const SSH_APPLICATION = 'ssh:';

/** Flag in a signature: a person has touched the security key. */
const USER_PRESENT = 0x01;

/** Flags (1 byte) and counter (4 bytes) at the end of a signature. */
const TRAILER_BYTES = 5;

/** Length of a number of the curve P-256, and of an Ed25519 public key (bytes). */
const NUMBER_BYTES = 32;

/** The public key of a hardware security key. The private key cannot leave the hardware. */
export interface SecurityKey {
  readonly type: typeof ED25519_SK | typeof ECDSA_SK;
  readonly publicKey: KeyObject;
  /** The application for which the key was created, such as `ssh:`. It is part of each signed message. */
  readonly application: string;
}

export function isSecurityKeyType(type: string): boolean {
  return type === ED25519_SK || type === ECDSA_SK;
}

/**
 * Parses the wire form of a public key on a hardware security key (PROTOCOL.u2f of OpenSSH).
 *
 * @returns undefined if the bytes are not such a key or are damaged, or if the application does not begin with `ssh:`
 */
export function parseSecurityKey(blob: Buffer): SecurityKey | undefined {
  const fields = readStrings(blob);
  const [type, ...rest] = fields?.map((field) => field.toString('latin1')) ?? [];
  if (fields === undefined || !rest.at(-1)?.startsWith(SSH_APPLICATION)) return undefined;
  const application = rest.at(-1) ?? '';
  if (type === ED25519_SK && fields.length === 3) {
    const publicKey = ed25519Key(fields[1]);
    return publicKey && { type, publicKey, application };
  }
  if (type === ECDSA_SK && fields.length === 4 && rest[0] === 'nistp256') {
    const publicKey = p256Key(fields[2]);
    return publicKey && { type, publicKey, application };
  }
  return undefined;
}

/**
 * Returns whether a hardware security key has signed a message, and a person has touched it for this signature
 * (PROTOCOL.u2f of OpenSSH). Like OpenSSH, does not compare the counter with earlier ones. Never throws.
 *
 * @param signature the bytes after the name of the algorithm: the signature, flags and counter. In an ECDSA
 *   signature, each of the two numbers is preceded by its length
 */
export function verifySecurityKey(key: SecurityKey, message: Buffer, signature: Buffer): boolean {
  if (signature.length <= TRAILER_BYTES) return false;
  const trailer = signature.subarray(-TRAILER_BYTES);
  if (((trailer[0] ?? 0) & USER_PRESENT) === 0) return false;
  const signed = Buffer.concat([sha256(Buffer.from(key.application, 'latin1')), trailer, sha256(message)]);
  const body = signature.subarray(0, -TRAILER_BYTES);
  if (key.type === ED25519_SK) return verify(null, signed, key.publicKey, body);
  const numbers = readStrings(body)?.map(unsigned);
  if (numbers?.length !== 2 || numbers.some((number) => number === undefined)) return false;
  const raw = Buffer.concat(numbers.filter((number) => number !== undefined));
  return verify('sha256', signed, { key: key.publicKey, dsaEncoding: 'ieee-p1363' }, raw);
}

function ed25519Key(bytes: Buffer | undefined): KeyObject | undefined {
  if (bytes?.length !== NUMBER_BYTES) return undefined;
  return importKey({ kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') });
}

/** Imports an uncompressed point of the curve P-256: 0x04, x, y. Undefined if the bytes are not such a point. */
function p256Key(point: Buffer | undefined): KeyObject | undefined {
  if (point?.length !== 1 + 2 * NUMBER_BYTES || point[0] !== 0x04) return undefined;
  const x = point.subarray(1, 1 + NUMBER_BYTES).toString('base64url');
  const y = point.subarray(1 + NUMBER_BYTES).toString('base64url');
  return importKey({ kty: 'EC', crv: 'P-256', x, y });
}

function importKey(key: { kty: string; crv: string; x: string; y?: string }): KeyObject | undefined {
  try {
    return createPublicKey({ key, format: 'jwk' });
  } catch {
    // The point is not on the curve.
    return undefined;
  }
}

/** Converts a number of the SSH protocol (mpint, RFC 4251 5) to 32 bytes. Undefined if it is longer. */
function unsigned(mpint: Buffer): Buffer | undefined {
  const digits = mpint[0] === 0 ? mpint.subarray(1) : mpint;
  if (digits.length > NUMBER_BYTES) return undefined;
  return Buffer.concat([Buffer.alloc(NUMBER_BYTES - digits.length), digits]);
}

/**
 * Splits bytes into strings, each of which has its length before it (RFC 4251 5). Undefined if the last one is
 * incomplete.
 */
function readStrings(bytes: Buffer): Buffer[] | undefined {
  const strings: Buffer[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    if (offset + 4 > bytes.length) return undefined;
    const end = offset + 4 + bytes.readUInt32BE(offset);
    if (end > bytes.length) return undefined;
    strings.push(bytes.subarray(offset + 4, end));
    offset = end;
  }
  return strings;
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
