import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { loadPrivateKey } from '#master/admin/private-key-file.ts';
import { openKeyStore } from '#master/admin/keys.ts';
import { dropRights } from '#test/support/drop-rights.ts';
import { makePerson } from '#test/support/master/admin-master.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Returns the text of a file with one usable key. */
function fileWith(rights: { readonly role: string; readonly templates: readonly string[] }): string {
  const publicKey = makePerson('x').publicKey.split(' ', 2).join(' ');
  return JSON.stringify({ keys: [{ name: 'x', publicKey, addedAt: 1, ...rights }] });
}

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

describe('the store of authorized keys', () => {
  const anna = makePerson('anna');
  const ben = makePerson('ben');

  it('contains its keys after a restart', async () => {
    const path = join(folder, 'keys.json');
    const store = await openKeyStore(path, () => 1000);
    const key = await store.add({ name: ' anna ', role: 'owner', publicKey: anna.publicKey });
    expect(key).toEqual({
      name: 'anna',
      role: 'owner',
      templates: null,
      fingerprint: expect.any(String) as string,
      addedAt: 1000,
    });
    expect((await openKeyStore(path)).list()).toEqual([key]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('rejects a duplicate key, a duplicate name and an invalid name', async () => {
    const store = await openKeyStore(join(folder, 'keys.json'));
    await store.add({ name: 'anna', role: 'owner', publicKey: anna.publicKey });
    await expect(store.add({ name: 'x', role: 'viewer', publicKey: anna.publicKey })).rejects.toMatchObject({
      code: 'KEY_EXISTS',
      details: { name: 'anna' },
    });
    await expect(store.add({ name: 'anna', role: 'viewer', publicKey: ben.publicKey })).rejects.toMatchObject(
      {
        code: 'KEY_NAME_TAKEN',
      },
    );
    for (const name of [' ', 'n'.repeat(65)]) {
      await expect(store.add({ name, role: 'viewer', publicKey: ben.publicKey })).rejects.toMatchObject({
        code: 'PARAMS_INVALID',
      });
    }
    expect(store.list()).toHaveLength(1);
  });

  it.each(['overworld', 'local', 'unknown', 'someone with an editor', 'proxy lobby-proxy-1'])(
    'gives no key the name "%s", which the logs use for actors that are not keys',
    async (name) => {
      const path = join(folder, 'keys.json');
      const store = await openKeyStore(path);
      const key = { name: 'anna', role: 'owner' as const, publicKey: anna.publicKey };
      await expect(store.add({ ...key, name: ` ${name} ` })).rejects.toMatchObject({
        code: 'PARAMS_INVALID',
        message: expect.stringContaining(`use the name "${name}" for actors that are not keys`) as string,
      });
      await store.add(key);
      await expect(store.ensureOwner(ben.publicKey, name)).resolves.toMatchObject({ name: `${name} (2)` });
      const text = await readFile(path, 'utf8');
      await writeFile(path, text.replace('"anna"', `"${name}"`));
      await expect(store.reread()).rejects.toMatchObject({ code: 'DATA_FAULTY' });
      expect(store.list().map((one) => one.name)).toEqual(['anna', `${name} (2)`]);
    },
  );

  it.each(['local', 'unknown', 'proxy proxy-1'])(
    'reads a file of an earlier version in which a key has the name "%s" of another actor',
    async (name) => {
      const path = join(folder, 'keys.json');
      await writeFile(path, fileWith({ role: 'files', templates: ['lobby'] }).replace('"x"', `"${name}"`));
      const store = await openKeyStore(path);
      await store.add({ name: 'ben', role: 'owner', publicKey: ben.publicKey });
      await store.limit(name, ['arena']);
      await store.reread();
      expect(store.list()).toMatchObject([{ name, templates: ['arena'] }, { name: 'ben' }]);
    },
  );

  it('keeps an unread edit of its file when it changes another key', async () => {
    const path = join(folder, 'keys.json');
    const store = await openKeyStore(path, () => 1000);
    await store.add({ name: 'anna', role: 'owner', publicKey: anna.publicKey });
    await store.add({ name: 'ben', role: 'viewer', publicKey: ben.publicKey });
    const changes: string[] = [];
    store.onRevoked(({ name }) => void changes.push(`revoked ${name}`));
    store.onEdited(({ removed, added }) => {
      for (const { name } of removed) changes.push(`removed ${name}`);
      for (const { name } of added) changes.push(`added ${name}`);
    });
    const { keys } = JSON.parse(await readFile(path, 'utf8')) as { keys: { name: string }[] };
    await writeFile(path, JSON.stringify({ keys: keys.filter(({ name }) => name !== 'ben') }));

    await store.add({ name: 'carl', role: 'viewer', publicKey: makePerson('carl').publicKey });
    expect((await openKeyStore(path)).list().map(({ name }) => name)).toEqual(['anna', 'carl']);
    await store.reread();
    expect(changes).toEqual(['removed ben', 'revoked ben']);
  });

  it.skipIf(process.platform === 'win32')(
    'changes nothing, and names the reason, while the master has no right to read its edited file',
    async () => {
      dropRights();
      const config = temporaryFolder();
      const path = join(config, 'keys.json');
      const store = await openKeyStore(path);
      const key = { name: 'anna', role: 'owner' as const, publicKey: anna.publicKey };
      await store.add(key);
      await chmod(path, 0);
      const refused = {
        code: 'DATA_FOLDER_UNSAFE',
        message: expect.stringMatching(
          /keys\.json cannot be read, .*: the master has no permission .* run "chown --reference=/,
        ) as string,
      };
      await expect(store.add({ ...key, name: 'ben', publicKey: ben.publicKey })).rejects.toMatchObject(
        refused,
      );
      await expect(store.remove('anna')).rejects.toMatchObject(refused);
      await expect(store.limit('anna', null)).rejects.toMatchObject(refused);
      await expect(store.reread()).rejects.toMatchObject(refused);
      expect(store.list().map(({ name }) => name)).toEqual(['anna']);
    },
  );

  it('never removes the last owner', async () => {
    const store = await openKeyStore(join(folder, 'keys.json'));
    await store.add({ name: 'anna', role: 'owner', publicKey: anna.publicKey });
    const other = await store.add({ name: 'ben', role: 'operator', publicKey: ben.publicKey });
    await expect(store.remove('anna')).rejects.toMatchObject({ code: 'KEY_LAST_OWNER' });
    await expect(store.remove('carl')).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' });
    await store.remove(other.fingerprint);
    expect(store.list().map(({ name }) => name)).toEqual(['anna']);
  });

  it('can limit keys to templates, and keeps these limits after a restart', async () => {
    const path = join(folder, 'keys.json');
    const store = await openKeyStore(path);
    const revoked: string[] = [];
    store.onRevoked(({ name }) => void revoked.push(name));
    const added = await store.add({
      name: 'ben',
      role: 'operator',
      templates: ['lobby'],
      publicKey: ben.publicKey,
    });
    expect(added.templates).toEqual(['lobby']);
    const limited = { key: { ...added, templates: ['lobby', 'bedwars*'] }, changed: true };
    await expect(store.limit('ben', ['lobby', 'bedwars*'])).resolves.toEqual(limited);
    await expect(store.limit(added.fingerprint, ['lobby', 'bedwars*'])).resolves.toEqual({
      ...limited,
      changed: false,
    });
    expect(revoked).toEqual(['ben']);
    const again = await openKeyStore(path);
    expect(again.list()).toEqual([limited.key]);
    await expect(again.limit('ben', null)).resolves.toMatchObject({
      key: { templates: null },
      changed: true,
    });
    expect(await readFile(path, 'utf8')).not.toContain('templates');
  });

  it('rejects a template limit for viewers and owners, and an empty template limit', async () => {
    const store = await openKeyStore(join(folder, 'keys.json'));
    await store.add({ name: 'anna', role: 'owner', publicKey: anna.publicKey });
    const viewer = { name: 'ben', role: 'viewer' as const, publicKey: ben.publicKey };
    await expect(store.add({ ...viewer, templates: ['lobby'] })).rejects.toMatchObject({
      code: 'KEY_NOT_LIMITABLE',
    });
    await expect(store.add({ ...viewer, role: 'files', templates: [] })).rejects.toMatchObject({
      code: 'PARAMS_INVALID',
    });
    await expect(store.limit('anna', ['lobby'])).rejects.toMatchObject({ code: 'KEY_NOT_LIMITABLE' });
    await expect(store.limit('carl', null)).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' });
    expect(store.list()).toHaveLength(1);
  });

  it('removes the template limit of a key that becomes an owner', async () => {
    const store = await openKeyStore(join(folder, 'keys.json'));
    await store.add({ name: 'ben', role: 'operator', templates: ['lobby'], publicKey: ben.publicKey });
    await expect(store.ensureOwner(ben.publicKey)).resolves.toMatchObject({ role: 'owner', templates: null });
  });

  it('keeps one of two owners if both are removed at the same time', async () => {
    const store = await openKeyStore(join(folder, 'keys.json'));
    await store.add({ name: 'anna', role: 'owner', publicKey: anna.publicKey });
    await store.add({ name: 'ben', role: 'owner', publicKey: ben.publicKey });
    const results = await Promise.allSettled([store.remove('anna'), store.remove('ben')]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(store.list()).toHaveLength(1);
  });

  it('with `ensureOwner`, changes nothing if the key already belongs to an owner', async () => {
    const path = join(folder, 'keys.json');
    const store = await openKeyStore(path, () => 5);
    const first = await store.ensureOwner(anna.publicKey, 'desktop');
    const before = await stat(path);
    await expect(store.ensureOwner(anna.publicKey, 'other name')).resolves.toEqual(first);
    expect((await stat(path)).ino).toBe(before.ino);
    await expect(store.ensureOwner(ben.publicKey, 'desktop')).resolves.toMatchObject({ name: 'desktop (2)' });
  });

  it('with `ensureOwner`, makes an existing key an owner, and names a new key after its comment', async () => {
    const store = await openKeyStore(join(folder, 'keys.json'));
    await store.add({ name: 'anna', role: 'viewer', publicKey: anna.publicKey });
    await expect(store.ensureOwner(anna.publicKey)).resolves.toMatchObject({ name: 'anna', role: 'owner' });
    await expect(store.ensureOwner(ben.publicKey)).resolves.toMatchObject({ name: 'ben' });
  });

  it.each([
    ['broken JSON', '{'],
    ['an unknown role', '{"keys":[{"name":"x","role":"king","publicKey":"","addedAt":1}]}'],
    ['an owner with a limit', fileWith({ role: 'owner', templates: ['lobby'] })],
    ['an empty limit', fileWith({ role: 'files', templates: [] })],
    ['a limit that is not a template id', fileWith({ role: 'files', templates: ['../lobby'] })],
    ['an invalid key', '{"keys":[{"name":"x","role":"owner","publicKey":"ssh-rsa AAAA","addedAt":1}]}'],
  ])('rejects a file with %s, and does not change the file', async (_, text) => {
    const path = join(folder, 'keys.json');
    await writeFile(path, text);
    await expect(openKeyStore(path)).rejects.toMatchObject({ code: 'DATA_FAULTY' });
    await expect(readFile(path, 'utf8')).resolves.toBe(text);
  });
});

describe('the private key file of the master', () => {
  it('is created once, and only the user of the master can read it', async () => {
    const path = join(folder, 'config', 'host_key');
    const first = await loadPrivateKey(path);
    expect(first.fingerprint).toMatch(/^SHA256:/);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await expect(loadPrivateKey(path)).resolves.toEqual(first);
  });

  it.each([0o640, 0o604, 0o660])(
    'is rejected if other users can access it (mode %i, as a decimal number)',
    async (mode) => {
      const path = join(folder, 'host_key');
      await loadPrivateKey(path);
      await chmod(path, mode);
      await expect(loadPrivateKey(path)).rejects.toMatchObject({ code: 'DATA_FOLDER_UNSAFE' });
    },
  );

  it.each([
    ['garbage', 'garbage'],
    ['a public key', makePerson('x').publicKey],
    ['empty', ''],
  ])('is rejected and not replaced if it is %s', async (_, text) => {
    const path = join(folder, 'host_key');
    await writeFile(path, text, { mode: 0o600 });
    await expect(loadPrivateKey(path)).rejects.toMatchObject({ code: 'DATA_FAULTY' });
    await expect(readFile(path, 'utf8')).resolves.toBe(text);
  });
});
