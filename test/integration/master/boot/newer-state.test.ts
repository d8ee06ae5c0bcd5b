import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makePerson } from '#test/support/master/admin-master.ts';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Names of objects whose keys are ids. An additional key in such an object would be another entry. */
const RECORDS = ['numbers', 'allowances', 'leaving', 'nodes', 'rented', 'months', 'node-times.json'];

/** Adds a key to each object, as a newer master may do. */
function withFurtherKeys(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withFurtherKeys(item, ''));
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).map(([key, part]) => [key, withFurtherKeys(part, key)] as const);
  const all = Object.fromEntries(parts);
  return RECORDS.includes(name) ? all : { ...all, addedLater: { by: 'a newer master' } };
}

/** Rewrites all JSON files of configuration and state. Returns their paths in the data folder. */
function rewriteAsNewer(data: string): readonly string[] {
  const files = ['config', 'state'].flatMap((folder) =>
    readdirSync(join(data, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.json') || path.endsWith('activity.jsonl'))
      .map((path) => join(folder, path)),
  );
  for (const file of files) {
    const path = join(data, file);
    const name = file.split('/').at(-1) ?? '';
    const lines = file.endsWith('.jsonl')
      ? readFileSync(path, 'utf8').split('\n')
      : [readFileSync(path, 'utf8')];
    const newer = lines
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.stringify(withFurtherKeys(JSON.parse(line), name)))
      .join('\n');
    writeFileSync(path, `${newer}\n`);
  }
  return files;
}

it('a master that starts with data of a newer version keeps services, keys, overrides, events and settings', async () => {
  const data = join(temporaryFolder(), 'data');
  const master = new MasterProcess(data, { from: 47_300, to: 47_399 });
  onTestFinished(() => master.shutDown());
  await master.start();
  const { publicKey } = makePerson('anna');
  await master.call('keys.add', { name: 'anna', role: 'owner', publicKey });
  const { config, configRevision: basedOn } = await master.call('config.get', {});
  await master.call('config.update', { config: { ...config, max_online_players: 777 }, basedOn });
  await master.call('templates.create', { id: 'lobby', config: { minimumRunningServers: 2 } });
  await master.call('services.start', { template: 'lobby' });
  await master.call('services.hold', { id: 'lobby-1', held: true });
  await master.call('nodes.lock', { id: 'local', locked: true });
  const before = await master.call('services.list', {});
  const [last] = await master.call('activity.list', { limit: 1 });
  await master.terminate();

  const files = rewriteAsNewer(data);
  expect(files).toEqual(
    expect.arrayContaining(['config/keys.json', 'state/services.json', 'state/holds.json']),
  );
  await master.start();

  const after = await master.call('services.list', {});
  expect(after.services.map(({ id, held }) => ({ id, held }))).toEqual(
    before.services.map(({ id, held }) => ({ id, held })),
  );
  expect(await master.call('keys.list', {})).toMatchObject([{ name: 'anna', role: 'owner' }]);
  expect(await master.call('nodes.list', {})).toMatchObject([{ id: 'local', locked: true }]);
  // For this master, the documents are faulty. It uses the values that it recognizes, and does not change the file.
  const now = await master.call('config.get', {});
  expect(now.problems.length).toBeGreaterThan(1);
  for (const { field } of now.problems) expect(field).toContain('addedLater');
  expect(now.config.max_online_players).toBe(777);
  const [template] = await master.call('templates.list', {});
  expect(template?.config.minimumRunningServers).toBe(2);
  expect(template?.problems[0]?.problem).toContain('is not a known key');
  expect(readFileSync(join(data, 'config', 'templates', 'lobby.json'), 'utf8')).toContain('addedLater');
  // The numbers of events continue.
  const [newest] = await master.call('activity.list', { limit: 1 });
  expect(newest?.seq).toBeGreaterThan(last?.seq ?? 0);
  const all = await master.call('activity.list', { limit: 500 });
  expect(new Set(all.map(({ seq }) => seq)).size).toBe(all.length);

  // When this master changes the list of keys, it keeps the data that a newer master has written about a key.
  await master.call('keys.add', { name: 'ben', role: 'viewer', publicKey: makePerson('ben').publicKey });
  expect(readFileSync(join(data, 'config', 'keys.json'), 'utf8')).toContain('addedLater');
});
