import { createPublicKey, randomBytes, sign, type KeyObject } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  Certificate,
  Name,
  RelativeDistinguishedName,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509';

/** ecdsa-with-SHA256 (RFC 5758 3.2). */
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';

/** commonName (RFC 5280 appendix A). */
const COMMON_NAME = '2.5.4.3';

/**
 * Expiry date that means "no well-defined expiration date" (RFC 5280 4.1.2.5). Plugins compare the certificate's
 * fingerprint, which does not expire.
 */
const NEVER = new Date('9999-12-31T23:59:59Z');

const DAY_MS = 86_400_000;

interface Subject {
  /** Private key on the curve P-256. */
  readonly key: KeyObject;
  /** Common name of the certificate. */
  readonly name: string;
  /** Current time (ms since epoch). */
  readonly now: number;
}

/**
 * Creates a self-signed certificate: X.509 version 3, ECDSA with SHA-256. It has no extensions, because plugins only
 * compare its bytes. It is valid from the day before its creation, because clocks may differ, and does not expire.
 *
 * @returns the certificate (PEM)
 */
export function selfSignedCertificate({ key, name, now }: Subject): string {
  const algorithm = new AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 });
  const whose = new Name([
    new RelativeDistinguishedName([
      new AttributeTypeAndValue({ type: COMMON_NAME, value: new AttributeValue({ utf8String: name }) }),
    ]),
  ]);
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const toSign = new TBSCertificate({
    version: Version.v3,
    serialNumber: serialNumber(),
    signature: algorithm,
    issuer: whose,
    subject: whose,
    validity: new Validity({ notBefore: new Date(now - DAY_MS), notAfter: NEVER }),
    subjectPublicKeyInfo: AsnConvert.parse(publicKey, SubjectPublicKeyInfo),
  });
  const signature = sign('sha256', Buffer.from(AsnConvert.serialize(toSign)), key);
  const certificate = new Certificate({
    tbsCertificate: toSign,
    signatureAlgorithm: algorithm,
    signatureValue: new Uint8Array(signature).buffer,
  });
  return toPem(Buffer.from(AsnConvert.serialize(certificate)));
}

/** Returns 16 random bytes: positive and without a leading zero (RFC 5280 4.1.2.2). */
function serialNumber(): ArrayBuffer {
  const bytes = new Uint8Array(randomBytes(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.buffer;
}

function toPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
