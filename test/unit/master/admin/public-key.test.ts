import { generateKeyPairSync } from 'node:crypto';
import ssh2 from 'ssh2';
import { describe, expect, it } from 'vitest';
import { parsePublicKey, publicKeyLine } from '#master/admin/public-key.ts';
import { makeSecurityKey } from '#test/support/security-key.ts';

// Generated with `ssh-keygen -t ed25519`; the fingerprint is the output of `ssh-keygen -l`.
const ED25519 = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAID2kYQAlrB9UPemnJsZk3Y9fNUHWgNLmjl7RtFanrHXk';

function rsaLine(bits: number): string {
  return ssh2.utils.generateKeyPairSync('rsa', { bits }).public;
}

describe('parsePublicKey (line of an SSH public key)', () => {
  it('accepts a line with or without a comment and surrounding spaces', () => {
    const plain = parsePublicKey(ED25519);
    const commented = parsePublicKey(`  ${ED25519} anna@desk\n`);
    expect(commented.fingerprint).toBe(plain.fingerprint);
    expect(commented.comment).toBe('anna@desk');
    expect(publicKeyLine(commented)).toBe(ED25519);
    expect(plain.fingerprint).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/);
  });

  it.each(['ecdsa-256', 'ecdsa-384', 'ecdsa-521'])('accepts %s', (name) => {
    const bits = Number(name.slice(6)) as 256;
    const line = ssh2.utils.generateKeyPairSync('ecdsa', { bits }).public;
    expect(parsePublicKey(line).type).toMatch(/^ecdsa-sha2-nistp/);
  });

  it('accepts RSA keys with 2048 bits or more', () => {
    expect(parsePublicKey(rsaLine(2048)).type).toBe('ssh-rsa');
  });

  it.each(['ed25519', 'ecdsa'] as const)('accepts a security key (%s) with its comment', (kind) => {
    const hardware = makeSecurityKey(kind);
    expect(parsePublicKey(hardware.publicKey)).toMatchObject({
      type: hardware.type,
      blob: hardware.blob,
      comment: kind,
    });
  });

  const refused: { readonly name: string; readonly line: string; readonly why: RegExp }[] = [
    { name: 'an empty text', line: ' \n', why: /empty/ },
    { name: 'text that is not a key', line: 'hello world', why: /cannot be decoded/ },
    { name: 'an RSA key of 1024 bits', line: rsaLine(1024), why: /1024 bits is too weak/ },
    { name: 'a DSA key', line: 'ssh-dss AAAAB3NzaC1kc3MAAACB', why: /DSA/ },
    {
      name: 'a private key',
      line: ssh2.utils.generateKeyPairSync('ed25519').private,
      why: /private key/,
    },
    {
      name: 'a PEM public key',
      line: generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      why: /more than one line/,
    },
    { name: 'two keys', line: `${ED25519}\n${ED25519}`, why: /more than one line/ },
    { name: 'options before the key', line: `no-pty ${ED25519}`, why: /cannot be decoded/ },
    {
      name: 'a certificate',
      line: ED25519.replace('ssh-ed25519', 'ssh-ed25519-cert-v01@openssh.com'),
      why: /certificate/,
    },
    {
      name: 'an ordinary key whose line says that it is a security key',
      line: ED25519.replace('ssh-ed25519', 'sk-ssh-ed25519@openssh.com'),
      why: /security key/,
    },
    {
      name: 'a security key of a web site',
      line: makeSecurityKey('ed25519', 'https://site.example').publicKey,
      why: /security key/,
    },
    {
      name: 'a security key whose line names another type of security key',
      line: makeSecurityKey('ecdsa').publicKey.replace('sk-ecdsa-sha2-nistp256', 'sk-ssh-ed25519'),
      why: /security key/,
    },
    {
      name: 'a certificate of a security key',
      line: makeSecurityKey('ed25519').publicKey.replace('@', '-cert-v01@'),
      why: /certificate/,
    },
    {
      name: 'a key whose type differs from the type that its line names',
      line: ED25519.replace('ssh-ed25519', 'ssh-rsa'),
      why: /its type|cannot be decoded/,
    },
    { name: 'a truncated key', line: ED25519.slice(0, -12), why: /cannot be decoded|its type/ },
  ];
  it.each(refused)('rejects $name', ({ line, why }) => {
    expect(() => parsePublicKey(line)).toThrow(
      expect.objectContaining({
        code: 'KEY_INVALID',
        message: expect.stringMatching(why) as unknown,
      }) as Error,
    );
  });
});
