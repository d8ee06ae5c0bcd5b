import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { loadAppKey, type Sealer } from '#main/vault/app-key.ts';
import { openSettings, remember } from '#main/vault/settings.ts';

const log = pino({ level: 'silent' });
let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

describe('the settings of the app', () => {
  it('have defaults at first, and are the same after a restart', async () => {
    const path = join(folder, 'settings.json');
    const settings = await openSettings(path, log);
    expect(settings.data).toEqual({
      ...{ theme: 'system', density: 'comfortable', places: [], closeToTray: false, parallelTransfers: 3 },
      notifications: { failures: true, nodes: true, playerLimit: true },
      ...{ window: null, onQuit: 'ask', memory: {} },
      ...{ connections: [], connection: 'embedded', embedded: { hostKey: null, lastConnectedAt: null } },
    });
    await Promise.all([settings.update({ theme: 'dark' }), settings.update({ onQuit: 'keep' })]);
    expect((await openSettings(path, log)).data).toMatchObject({ theme: 'dark', onQuit: 'keep' });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['broken JSON', '{"theme":'],
    ['an unknown theme', '{"theme":"pink"}'],
    ['nothing', ''],
  ])(
    'are replaced by the defaults if their file contains %s, and the file is moved aside',
    async (_sentence, text) => {
      const path = join(folder, 'settings.json');
      await writeFile(path, text);
      const settings = await openSettings(path, log);
      expect(settings.data.theme).toBe('system');
      expect(await readFile(`${path}.broken`, 'utf8')).toBe(text);
      await settings.update({ theme: 'light' });
      expect((await openSettings(path, log)).data.theme).toBe('light');
    },
  );

  it('include the trusted key of the embedded master from a file of an older version', async () => {
    const path = join(folder, 'settings.json');
    await writeFile(path, JSON.stringify({ theme: 'dark', pins: { embedded: 'SHA256:old' } }));
    const { data } = await openSettings(path, log);
    expect(data).toMatchObject({ theme: 'dark', embedded: { hostKey: 'SHA256:old', lastConnectedAt: null } });
    expect(data).not.toHaveProperty('pins');
  });

  it('include connections that an older version has stored without server logins', async () => {
    const path = join(folder, 'settings.json');
    const old = { id: 'b', name: 'Berlin', host: 'b.example', port: 2022, hostKey: null, lastConnectedAt: 5 };
    await writeFile(path, JSON.stringify({ connections: [old] }));
    const settings = await openSettings(path, log);
    expect(settings.data.connections).toEqual([{ ...old, server: null }]);
  });

  it('do not include a connection that contains a password or a passphrase', async () => {
    const path = join(folder, 'settings.json');
    const connection = {
      id: 'b',
      name: 'Berlin',
      host: 'b.example',
      port: 2022,
      hostKey: null,
      lastConnectedAt: 5,
    };
    const hostKey = { type: 'ssh-ed25519', fingerprint: 'SHA256:s' };
    const server = { host: 'b.example', port: 22, user: 'root', hostKey };
    for (const login of [
      { kind: 'password', password: 'geheim' },
      { kind: 'keyFile', path: 'k', passphrase: 'geheim' },
    ]) {
      await writeFile(
        path,
        JSON.stringify({ connections: [{ ...connection, server: { ...server, login } }] }),
      );
      expect((await openSettings(path, log)).data.connections).toEqual([]);
    }
  });

  it('store at most 200 values of the window, and then only existing values can be changed', () => {
    let memory: Readonly<Record<string, string>> = {};
    for (let n = 0; n < 300; n++) memory = remember(memory, `key ${n}`, 'a');
    expect(Object.keys(memory)).toHaveLength(200);
    expect(remember(memory, 'key 7', 'b')['key 7']).toBe('b');
  });
});

/**
 * Replaces the system's encryption with a reversible function, so that tests can check that only sealed text reaches
 * the disk.
 */
const sealer: Sealer = {
  name: 'test',
  seal: (text) => Buffer.from(Buffer.from(text).map((byte) => byte ^ 0x5a)),
  unseal: (data) => Buffer.from(data.map((byte) => byte ^ 0x5a)).toString(),
};

describe('the SSH key of the app', () => {
  it('is created once, and is encrypted if the system supports encryption', async () => {
    const path = join(folder, 'app-key.json');
    const made = await loadAppKey(path, sealer, log);
    expect(made.publicKey).toMatch(/^ssh-ed25519 AAAA\S+ overworld-app$/);
    expect(made.fingerprint).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/);
    expect(await loadAppKey(path, sealer, log)).toEqual(made);
    const text = await readFile(path, 'utf8');
    expect(text).not.toContain('PRIVATE KEY');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('is protected by file permissions if the system has no keyring', async () => {
    const path = join(folder, 'app-key.json');
    const made = await loadAppKey(path, null, log);
    expect(await loadAppKey(path, null, log)).toEqual(made);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['is missing', null],
    [
      'is locked',
      {
        ...sealer,
        unseal: () => {
          throw new Error('the keyring is locked');
        },
      },
    ],
    ['belongs to another desktop', { ...sealer, unseal: () => 'other text' }],
  ])('is replaced by another key only while the keyring %s', async (_sentence, other) => {
    const path = join(folder, 'app-key.json');
    const made = await loadAppKey(path, sealer, log);
    const stored = await readFile(path, 'utf8');
    const fallback = await loadAppKey(path, other, log);
    expect(fallback.publicKey).not.toBe(made.publicKey);
    expect(await loadAppKey(path, other, log), 'the other key changes at each start').toEqual(fallback);
    expect(await readFile(path, 'utf8')).toBe(stored);
    expect(await loadAppKey(path, sealer, log)).toEqual(made);
  });

  it('is created again if its file is broken, and each broken file is kept', async () => {
    const path = join(folder, 'app-key.json');
    for (const text of ['{}', '{"version":1']) {
      await writeFile(path, text);
      const made = await loadAppKey(path, null, log);
      expect(made.publicKey).toMatch(/^ssh-ed25519 /);
    }
    expect((await readdir(folder)).sort()).toEqual([
      'app-key.json',
      'app-key.json.broken',
      'app-key.json.broken-2',
    ]);
    expect(await readFile(`${path}.broken`, 'utf8')).toBe('{}');
  });
});
