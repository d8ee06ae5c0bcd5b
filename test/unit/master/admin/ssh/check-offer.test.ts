import ssh2 from 'ssh2';
import { describe, expect, it } from 'vitest';
import { checkOffer } from '#master/admin/ssh/check-offer.ts';
import type { AuthorizedKey } from '#shared/model/access/role.ts';
import { loginFields, loginRequest } from '#test/support/login-request.ts';
import { makeSecurityKey, sshString } from '#test/support/security-key.ts';

const anna: AuthorizedKey = {
  ...{ name: 'anna', fingerprint: 'SHA256:anna', role: 'owner', templates: null, addedAt: 0 },
};
const keys = { find: () => anna };

/** Creates a client with an RSA key. Only signatures of RSA keys name a hash. */
function rsa() {
  const pair = ssh2.utils.generateKeyPairSync('rsa', { bits: 2_048 });
  const parsed = ssh2.utils.parseKey(pair.private);
  if (parsed instanceof Error) throw parsed;
  const offer = (algorithm: string, hash: string | undefined) => {
    const key = parsed.getPublicSSH();
    const signed = loginRequest({ algorithm, key, session: 'one' });
    const signature = parsed.sign(signed, hash ?? 'sha1');
    return { algorithm: 'ssh-rsa', key, proof: { signature, signed, hash } };
  };
  return { offer };
}

describe('checkOffer (checks the signature of an SSH login)', () => {
  const hardware = makeSecurityKey('ed25519');
  const { type: algorithm, blob: key } = hardware;
  const fields = loginFields({ algorithm, key, session: 'one' });
  const check = (signed: Buffer, hash?: string) =>
    checkOffer(keys, { algorithm, key, proof: { signature: hardware.sign(signed), signed, hash } });
  const changed = (change: Partial<Record<keyof typeof fields, Buffer>>): Buffer =>
    Buffer.concat(Object.values<Buffer>({ ...fields, ...change }));

  it('accepts the signature of a login with any user name', () => {
    const accepted = { kind: 'accepted', key: anna };
    expect(check(changed({}))).toEqual(accepted);
    expect(check(changed({ user: sshString('') }))).toEqual(accepted);
    expect(check(changed({ user: sshString('ssh-connection') }))).toEqual(accepted);
  });

  it.each([
    ['a signed file', Buffer.from('SSHSIG a signed file')],
    ['nothing', Buffer.alloc(0)],
    ['a login at a web site', sshString('https://example.com')],
    ['a short session id', changed({ session: sshString(Buffer.alloc(31)) })],
    ['a long session id', changed({ session: sshString(Buffer.alloc(33)) })],
    ['another message', changed({ number: Buffer.of(51) })],
    ['a user name with a wrong length', changed({ user: Buffer.concat([sshString('anna'), Buffer.of(0)]) })],
    ['no user name', changed({ user: Buffer.alloc(0) })],
    ['another service', changed({ service: sshString('ssh-userauth') })],
    ['a login by host', changed({ method: sshString('hostbased') })],
    ['a request without a signature', changed({ isSigned: Buffer.of(0) })],
    ['another algorithm', changed({ algorithm: sshString('ssh-ed25519') })],
    ['another key', changed({ key: sshString(makeSecurityKey('ed25519').blob) })],
    ['a login with additional bytes', Buffer.concat([changed({}), Buffer.of(0)])],
    ['only the end of a login', changed({}).subarray(1)],
  ])('refuses a signature over data that contains %s', (_, signed) => {
    expect(check(signed)).toEqual({ kind: 'refused' });
  });

  it('accepts RSA signatures only with SHA-2, and refuses a hash that does not fit the signature', () => {
    const { offer } = rsa();
    expect(checkOffer(keys, offer('rsa-sha2-256', 'sha256'))).toMatchObject({ kind: 'accepted' });
    expect(checkOffer(keys, offer('rsa-sha2-512', 'sha512'))).toMatchObject({ kind: 'accepted' });
    for (const [name, hash] of [
      ['rsa-sha2-256', 'sha512'],
      ['ssh-rsa', undefined],
      ['ssh-rsa', 'sha1'],
      ['rsa-sha2-256', 'md5'],
    ] as const) {
      expect(checkOffer(keys, offer(name, hash))).toEqual({ kind: 'refused' });
    }
    expect(check(changed({}), 'md5')).toEqual({ kind: 'refused' });
  });
});
