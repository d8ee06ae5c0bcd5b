import { spawnSync } from 'node:child_process';
import ssh2 from 'ssh2';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { makeMachineSeed, publicKeyOf } from '#master/nodes/bootstrap/machine-seed.ts';
import { bootstrapScript, SCRIPT_PATH } from '#master/nodes/bootstrap/script.ts';
import { SSHD_CONFIG } from '#master/nodes/bootstrap/sshd-config.ts';
import { MAX_USER_DATA_BYTES, renderUserData } from '#master/nodes/bootstrap/user-data.ts';
import { fingerprintOf } from '#shared/node/fingerprint.ts';
import { makeKey } from '#test/support/nodes/contact-fixture.ts';

const documentSchema = z.looseObject({
  ssh_authorized_keys: z.array(z.string()),
  ssh_keys: z.strictObject({ ed25519_private: z.string(), ed25519_public: z.string() }),
  write_files: z.array(z.strictObject({ path: z.string(), permissions: z.string(), content: z.string() })),
  runcmd: z.array(z.array(z.string())),
});

function read(userData: string): z.infer<typeof documentSchema> {
  expect(userData.startsWith('#cloud-config\n')).toBe(true);
  return documentSchema.parse(JSON.parse(userData.slice('#cloud-config\n'.length)));
}

describe('renderUserData (cloud-init data for a new server)', () => {
  const hostKey = {
    private: '-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END…\n',
    public: 'ssh-ed25519 AAAA\n',
  };

  it('returns the same data for the same input', () => {
    const data = { hostKey, masterKey: 'ssh-ed25519 BBBB master', sshPort: 2222 };
    expect(renderUserData(data)).toBe(renderUserData(data));
  });

  it('contains the keys, the SSH port and the unchanged setup script', () => {
    const document = read(renderUserData({ hostKey, masterKey: 'ssh-ed25519 BBBB master\n', sshPort: 2222 }));
    expect(document.ssh_authorized_keys).toEqual(['ssh-ed25519 BBBB master']);
    expect(document.ssh_keys).toEqual({
      ed25519_private: hostKey.private,
      ed25519_public: 'ssh-ed25519 AAAA',
    });
    const contents = new Map(document.write_files.map(({ path, content }) => [path, content]));
    expect(contents.get(SSHD_CONFIG)).toMatch(/^Port 2222$/m);
    expect(contents.get(SCRIPT_PATH)).toBe(bootstrapScript(2222).text);
    expect(document.runcmd).toEqual([['sh', SCRIPT_PATH]]);
  });

  it('disables SSH logins with a password', () => {
    expect(read(renderUserData({ hostKey, masterKey: 'k', sshPort: 22 }))).toMatchObject({
      ...{ ssh_pwauth: false, disable_root: false, users: [] },
    });
  });
});

describe('makeMachineSeed (creates the host key of a new server)', () => {
  it('creates a different host key each time, and returns its fingerprint', () => {
    const key = makeKey();
    const births = [1, 2].map(() => makeMachineSeed({ key, sshPort: 22 }));
    expect(new Set(births.map(({ hostKey }) => hostKey)).size).toBe(2);
    for (const { userData, hostKey } of births) {
      const { ssh_keys: keys, ssh_authorized_keys: authorized } = read(userData);
      const parsed = ssh2.utils.parseKey(keys.ed25519_private);
      if (parsed instanceof Error) throw parsed;
      expect(fingerprintOf(parsed.getPublicSSH())).toBe(hostKey);
      expect(keys.ed25519_public.split(' ')[1]).toBe(parsed.getPublicSSH().toString('base64'));
      expect(authorized).toEqual([publicKeyOf(key)]);
    }
  });

  it("creates data that contains no private key of the master and is smaller than half of the provider's maximum size", () => {
    const key = makeKey();
    const { userData } = makeMachineSeed({ key, sshPort: 65_535 });
    // Skip the first lines, which are the same in every key of this type.
    const secret = key.trim().split('\n').slice(3, -1);
    expect(secret.length).toBeGreaterThan(1);
    for (const line of secret) expect(userData.includes(line)).toBe(false);
    expect(Buffer.byteLength(userData)).toBeLessThan(MAX_USER_DATA_BYTES / 2);
  });
});

describe('bootstrapScript (script that sets up a new server)', () => {
  it('has a different name when its content differs', () => {
    expect(bootstrapScript(22).name).toBe(bootstrapScript(22).name);
    expect(bootstrapScript(22).name).not.toBe(bootstrapScript(2222).name);
    expect(bootstrapScript(22).text).toContain(`printf '${bootstrapScript(22).name}'`);
    expect(bootstrapScript(22).text).not.toMatch(/@[A-Z_]+@|undefined/);
  });

  it('finishes an interrupted installation of packages before it installs packages', () => {
    const { text } = bootstrapScript(22);
    const commands = text.split('\n').filter((line) => /^\s*(\{ )?(\$apt|.*dpkg .*--configure)/.test(line));
    expect(commands[0]).toContain('dpkg --force-confdef --force-confold --configure -a');
    expect(commands.length).toBeGreaterThan(2);
    // The script does not end with the first command that fails.
    expect(text).not.toMatch(/^set .*e/m);
  });

  it.skipIf(process.platform === 'win32')('is valid in any POSIX shell', () => {
    const { status, stderr } = spawnSync('sh', ['-n'], { input: bootstrapScript(22).text, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
