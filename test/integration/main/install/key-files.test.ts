import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makePerson } from '#test/support/master/admin-master.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { findAgent } from '#main/install/server/agent.ts';
import { KeyFiles } from '#main/install/server/key-files.ts';
import { prepareLogin } from '#main/install/server/login.ts';

const coded = (code: string, details: object = {}) =>
  expect.objectContaining({ code, details: expect.objectContaining(details) as object }) as Error;

/** Creates a key with ssh-keygen. @returns the path of the key */
function makeKeyFile(path: string, passphrase = '', type = 'ed25519'): string {
  execFileSync('ssh-keygen', ['-q', '-t', type, '-N', passphrase, '-f', path]);
  return path;
}

describe('the private SSH keys of this computer', () => {
  it('are found in the SSH folder among other files, whether they are encrypted or not', async () => {
    const folder = temporaryFolder();
    const plain = makeKeyFile(join(folder, 'id_ed25519'));
    const encrypted = makeKeyFile(join(folder, 'id_work'), 'geheim');
    const ecdsa = makeKeyFile(join(folder, 'id_ecdsa'), '', 'ecdsa');
    writeFileSync(join(folder, 'config'), 'Host *\n');
    writeFileSync(join(folder, 'broken'), '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n');
    mkdirSync(join(folder, 'a folder'));
    const files = new KeyFiles({ folder, remembered: () => [] });
    expect(await files.list()).toEqual([
      { path: ecdsa, encrypted: false },
      { path: plain, encrypted: false },
      { path: encrypted, encrypted: true },
    ]);
    expect(await new KeyFiles({ folder: join(folder, 'none'), remembered: () => [] }).list()).toEqual([]);
  });

  it('can be in other folders if the user has chosen the files, even before the last restart of the app', async () => {
    const [folder, elsewhere] = [temporaryFolder(), temporaryFolder()];
    const [key, other] = [makeKeyFile(join(elsewhere, 'key')), makeKeyFile(join(elsewhere, 'other'))];
    const files = new KeyFiles({ folder, remembered: () => [other] });
    await expect(files.open(key, undefined)).rejects.toThrow(coded('LOGIN_KEY_NOT_CHOSEN', { path: key }));
    await expect(files.open('/etc/shadow', undefined)).rejects.toThrow(coded('LOGIN_KEY_NOT_CHOSEN'));
    expect(await files.pick(key)).toEqual({ path: key, encrypted: false });
    expect((await files.open(key, undefined)).key).toContain('PRIVATE KEY');
    expect((await files.open(other, undefined)).key).toContain('PRIVATE KEY');
  });

  it('can be chosen only as files that contain a private key', async () => {
    const folder = temporaryFolder();
    const files = new KeyFiles({ folder, remembered: () => [] });
    writeFileSync(join(folder, 'text'), 'not a key');
    const refused = coded('LOGIN_KEY_UNUSABLE', { why: 'it is no private key' });
    await expect(files.pick(join(folder, 'text'))).rejects.toThrow(refused);
    await expect(files.pick(folder)).rejects.toThrow(refused);
    await expect(files.pick(join(folder, 'none'))).rejects.toThrow(coded('LOGIN_KEY_UNUSABLE'));
  });

  it('can be used only with the correct passphrase if they are encrypted', async () => {
    const folder = temporaryFolder();
    const key = makeKeyFile(join(folder, 'id_work'), 'geheim');
    const pem = join(folder, 'id_pem');
    execFileSync('ssh-keygen', ['-q', '-t', 'rsa', '-b', '2048', '-m', 'PEM', '-N', 'geheim', '-f', pem]);
    const files = new KeyFiles({ folder, remembered: () => [] });
    for (const path of [key, pem]) {
      const missing = coded('LOGIN_KEY_UNUSABLE', { why: 'it is encrypted and needs its passphrase' });
      await expect(files.open(path, undefined)).rejects.toThrow(missing);
      await expect(files.open(path, 'wrong')).rejects.toThrow(
        coded('LOGIN_KEY_UNUSABLE', { why: 'the passphrase is wrong' }),
      );
      expect((await files.open(path, 'geheim')).passphrase).toBe('geheim');
    }
  });
});

describe('the SSH agent of this computer', () => {
  it('is found if the socket in SSH_AUTH_SOCK exists', async () => {
    const path = join(temporaryFolder(), 'agent');
    expect(await findAgent({ platform: 'linux', env: { SSH_AUTH_SOCK: path } })).toBeNull();
    const server = createServer().listen(path);
    onTestFinished(() => void server.close());
    expect(await findAgent({ platform: 'linux', env: { SSH_AUTH_SOCK: path } })).toBe(path);
    expect(await findAgent({ platform: 'linux', env: {} })).toBeNull();
  });

  it('is reported as missing if a login needs it and it is not running', async () => {
    const keyFiles = new KeyFiles({ folder: temporaryFolder(), remembered: () => [] });
    const server = { host: 'one.example', port: 22, user: 'root', login: { kind: 'agent' as const } };
    await expect(prepareLogin(server, { keyFiles, agent: () => Promise.resolve(null) })).rejects.toThrow(
      coded('SERVER_LOGIN_REFUSED', { address: 'one.example:22', why: 'no SSH agent runs on this computer' }),
    );
  });
});

describe('a login with a password', () => {
  it('sends the password only if the server shows a single prompt with hidden input', async () => {
    const keyFiles = new KeyFiles({ folder: temporaryFolder(), remembered: () => [] });
    const server = {
      ...{ host: 'one.example', port: 22, user: 'root' },
      login: { kind: 'password' as const, password: makePerson('x').name },
    };
    const { methods } = await prepareLogin(server, { keyFiles, agent: () => Promise.resolve(null) });
    const interactive = methods.find((method) => method.type === 'keyboard-interactive');
    const answersTo = (prompts: { prompt: string; echo?: boolean }[]) => {
      let answers: string[] = [];
      if (interactive?.type === 'keyboard-interactive')
        interactive.prompt('', '', '', prompts, (given) => (answers = given));
      return answers;
    };
    expect(answersTo([{ prompt: 'Password: ', echo: false }])).toEqual(['x']);
    expect(answersTo([{ prompt: 'Code: ', echo: true }])).toEqual(['']);
    expect(answersTo([{ prompt: 'Password: ' }, { prompt: 'Code: ' }])).toEqual(['', '']);
    expect(answersTo([])).toEqual([]);
  });
});
