import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** Security key in software, which signs as FIDO2 hardware does for OpenSSH (PROTOCOL.u2f). */
export interface SoftSecurityKey {
  readonly type: string;
  /** Public key in the format that the SSH protocol sends. */
  readonly blob: Buffer;
  /** One line of a .pub file. */
  readonly publicKey: string;
  /** Signs a message. Returns the signature, the flags and the counter, without the name of the algorithm. */
  sign(message: Buffer, options?: SignOptions): Buffer;
}

interface SignOptions {
  /** Flags of the signature. Default: 1, which means that the person touched the key. */
  readonly flags?: number;
  readonly counter?: number;
}

export type SoftKeyKind = 'ed25519' | 'ecdsa';

export function makeSecurityKey(kind: SoftKeyKind, application = 'ssh:'): SoftSecurityKey {
  const { type, fields, signRaw } = kind === 'ed25519' ? ed25519() : ecdsa();
  const blob = Buffer.concat([type, ...fields, application].map((field) => sshString(field)));
  return {
    type,
    blob,
    publicKey: `${type} ${blob.toString('base64')} ${kind}`,
    sign(message, { flags = 1, counter = randomBytes(4).readUInt32BE() } = {}) {
      const trailer = Buffer.alloc(5);
      trailer.writeUInt8(flags, 0);
      trailer.writeUInt32BE(counter, 1);
      const signed = Buffer.concat([sha256(application), trailer, sha256(message)]);
      return Buffer.concat([signRaw(signed), trailer]);
    },
  };
}

function ed25519() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return {
    type: 'sk-ssh-ed25519@openssh.com',
    fields: [Buffer.from(x, 'base64url')],
    signRaw: (signed: Buffer) => sign(null, signed, privateKey),
  };
}

function ecdsa() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return {
    type: 'sk-ecdsa-sha2-nistp256@openssh.com',
    fields: ['nistp256', point],
    signRaw: (signed: Buffer) => {
      const raw = sign('sha256', signed, { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return Buffer.concat([mpint(raw.subarray(0, 32)), mpint(raw.subarray(32))]);
    },
  };
}

/** Encodes a string or bytes with the length before them (RFC 4251 5). */
export function sshString(value: Buffer | string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function mpint(digits: Buffer): Buffer {
  const first = digits.findIndex((byte) => byte !== 0);
  const short = digits.subarray(first);
  return sshString((short[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), short]) : short);
}

function sha256(bytes: Buffer | string): Buffer {
  return createHash('sha256').update(bytes).digest();
}
