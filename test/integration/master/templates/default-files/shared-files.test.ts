import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { listDefaultFiles } from '#master/templates/default-files/default-files.ts';
import { SharedFiles } from '#master/templates/default-files/shared-files.ts';
import { disguisedJarIn } from '#test/support/java/disguised-jar.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

// Tests may run as root, who can read every folder.
vi.mock(import('node:fs/promises'), async (original) => {
  const real = await original();
  const readdir = (...how: Parameters<typeof real.readdir>) =>
    String(how[0]).endsWith('/locked')
      ? Promise.reject(Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' }))
      : real.readdir(...how);
  return { ...real, readdir: readdir as typeof real.readdir };
});

const JAR = [{ path: 'common', destination: '.', directory: true }];

it('states what a shared server.jar is, also while the shared files cannot be used', async () => {
  const folder = temporaryFolder();
  const files = new SharedFiles(folder, () => undefined);
  onTestFinished(() => files.close());
  await mkdir(join(folder, 'common'));
  expect(files.serverJar(JAR)).toBeUndefined();
  await files.read(JAR);
  expect(files.serverJar(JAR)).toBeNull();
  await disguisedJarIn(join(folder, 'common'), 'CraftBukkit');
  await files.read(JAR);
  const facts = files.serverJar(JAR);
  expect(facts?.software).toMatch(/^CraftBukkit/);
  expect(facts?.needsJava).toBeGreaterThan(0);
  await rename(join(folder, 'common'), join(folder, 'away'));
  await files.read(JAR);
  expect(files.fingerprint(JAR)).toBeNull();
  expect(files.serverJar(JAR)).toEqual(facts);
  expect(files.serverJar([])).toBeNull();
});

const ENTRIES = [{ path: 'rules.txt', destination: 'rules.txt' }];

it('a changed shared file is reported even if the start of a service notices the change first', async () => {
  const folder = temporaryFolder();
  const failures: unknown[] = [];
  const files = new SharedFiles(folder, (error) => failures.push(error));
  onTestFinished(() => files.close());
  const told: boolean[] = [];
  files.onChange((hasChanged) => told.push(hasChanged(ENTRIES), hasChanged([])));

  await writeFile(join(folder, 'rules.txt'), 'no griefing');
  await files.read(ENTRIES);
  const before = files.fingerprint(ENTRIES);
  expect(before).toMatch(/^[0-9a-f]{16}$/);
  await files.read(ENTRIES);
  expect(told).toEqual([]);

  await writeFile(join(folder, 'rules.txt'), 'no griefing, no ads');
  await files.read(ENTRIES);
  expect(files.fingerprint(ENTRIES)).not.toBe(before);
  expect(told).toEqual([true, false]);
  expect(failures).toEqual([]);
});

it('a folder that cannot be read counts as known, and does not keep other files from being read', async () => {
  const folder = temporaryFolder();
  const failures: unknown[] = [];
  const files = new SharedFiles(folder, (error) => failures.push(error));
  onTestFinished(() => files.close());
  await mkdir(join(folder, 'locked'));
  await writeFile(join(folder, 'rules.txt'), 'no griefing');
  const locked = [{ path: 'locked', destination: '.', directory: true }];
  expect(files.serverJar(locked)).toBeUndefined();
  expect(files.fingerprint(ENTRIES)).toBeNull();
  await vi.waitFor(() => expect(files.fingerprint(ENTRIES)).not.toBeNull(), 5000);
  await files.read(locked);
  expect(files.serverJar(locked)).toBeNull();
  expect(files.fingerprint(locked)).toBeNull();
  expect(failures).toEqual([]);
  await expect(listDefaultFiles(locked, folder)).rejects.toThrow(
    /locked cannot be read: the master has no permission to read it/,
  );
});
