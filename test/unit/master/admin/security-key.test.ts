import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSecurityKey, verifySecurityKey, type SecurityKey } from '#master/admin/security-key.ts';
import { makeSecurityKey, sshString, type SoftKeyKind } from '#test/support/security-key.ts';

function parsed(blob: Buffer): SecurityKey {
  const key = parseSecurityKey(blob);
  if (key === undefined) throw new Error('not a security key');
  return key;
}

const message = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));

describe.each<SoftKeyKind>(['ed25519', 'ecdsa'])('a security key of the type %s', (kind) => {
  const hardware = makeSecurityKey(kind);
  const key = parsed(hardware.blob);

  it('accepts its own signature with any counter and with additional flags', () => {
    fc.assert(
      fc.property(message, fc.nat(0xffff_ffff), fc.nat(0x7f), (text, counter, more) => {
        const signature = hardware.sign(text, { counter, flags: (more << 1) | 1 });
        expect(verifySecurityKey(key, text, signature)).toBe(true);
      }),
    );
  });

  it('refuses a signature in which one bit was changed', () => {
    fc.assert(
      fc.property(message, fc.nat(), fc.nat(7), (text, place, bit) => {
        const signature = hardware.sign(text);
        const at = place % signature.length;
        signature[at] = (signature[at] ?? 0) ^ (1 << bit);
        expect(verifySecurityKey(key, text, signature)).toBe(false);
      }),
    );
  });

  it('refuses arbitrary bytes as a signature, without an exception', () => {
    fc.assert(
      fc.property(message, message, (text, bytes) => {
        expect(verifySecurityKey(key, text, bytes)).toBe(false);
      }),
    );
  });

  it('refuses a signature that was made without a touch of the key', () => {
    const text = Buffer.from('login');
    expect(verifySecurityKey(key, text, hardware.sign(text, { flags: 0 }))).toBe(false);
    // These flags say that the user is verified, but not present.
    expect(verifySecurityKey(key, text, hardware.sign(text, { flags: 4 }))).toBe(false);
  });

  it('refuses a signature of another message, another key or another application', () => {
    const text = Buffer.from('login');
    expect(verifySecurityKey(key, Buffer.from('other'), hardware.sign(text))).toBe(false);
    expect(verifySecurityKey(key, text, makeSecurityKey(kind).sign(text))).toBe(false);
    expect(verifySecurityKey({ ...key, application: 'ssh:other' }, text, hardware.sign(text))).toBe(false);
  });

  it('has the name of its application, and is refused if the application is a web site', () => {
    expect(parsed(makeSecurityKey(kind, 'ssh:work').blob).application).toBe('ssh:work');
    expect(parseSecurityKey(makeSecurityKey(kind, 'https://site.example').blob)).toBeUndefined();
  });

  it('is refused if bytes are missing or added', () => {
    for (let length = 0; length < hardware.blob.length; length++) {
      const cut = parseSecurityKey(hardware.blob.subarray(0, length));
      // If only the last bytes are missing, the length of the application name is wrong.
      expect(cut).toBeUndefined();
    }
    expect(parseSecurityKey(Buffer.concat([hardware.blob, sshString('ssh:')]))).toBeUndefined();
  });
});

it('a security key is refused if its point is not on the curve', () => {
  const point = Buffer.alloc(65, 7);
  point[0] = 4;
  const fields = ['sk-ecdsa-sha2-nistp256@openssh.com', 'nistp256', point, 'ssh:'];
  expect(parseSecurityKey(Buffer.concat(fields.map((field) => sshString(field))))).toBeUndefined();
});
