import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

it('the admin API can duplicate a template, search and copy its files, and restore a revision', async () => {
  const master = new MasterProcess(temporaryFolder(), { from: 27_300, to: 27_309 });
  onTestFinished(() => master.shutDown());
  await master.start();
  await master.call('templates.create', { id: 'lobby', config: { maxPlayers: 7 } });
  const motd = join(master.data, 'templates', 'lobby', 'motd.txt');
  const contents = async (id: string, count: number) =>
    waitFor(async () => {
      const kept = await master.call('templates.revisions', { id });
      return kept.length === count && kept[0]?.current === true ? kept : null;
    });
  await contents('lobby', 1);
  await writeFile(motd, 'first');
  await contents('lobby', 2);
  await writeFile(motd, 'second');
  const [second, first] = await contents('lobby', 3);

  const made = await master.call('templates.duplicate', { from: 'lobby', to: 'arena', files: true });
  expect(made).toMatchObject({ id: 'arena', config: { maxPlayers: 7 } });
  expect(await readFile(join(master.data, 'templates', 'arena', 'motd.txt'), 'utf8')).toBe('second');
  await expect(
    master.call('templates.duplicate', { from: 'lobby', to: 'arena', files: true }),
  ).rejects.toMatchObject({ code: 'TEMPLATE_EXISTS' });
  const bare = await master.call('templates.duplicate', { from: 'lobby', to: 'bare', files: false });
  expect(bare).toMatchObject({ id: 'bare', config: { maxPlayers: 7 } });

  const changes = { id: 'lobby', from: first?.revision ?? '', to: second?.revision ?? '' };
  await expect(master.call('templates.compareRevisions', changes)).resolves.toEqual({
    added: [],
    removed: [],
    changed: ['motd.txt'],
  });
  await master.call('templates.restoreRevision', { id: 'lobby', revision: first?.revision ?? '' });
  expect(await readFile(motd, 'utf8')).toBe('first');
  const kept = await waitFor(async () => {
    const now = await master.call('templates.revisions', { id: 'lobby' });
    return now[0]?.revision === first?.revision && now[0]?.current === true ? now : null;
  });
  expect(kept.map(({ revision }) => revision)).toContain(second?.revision);

  const search = { folder: '/templates', name: '', text: 'SECOND', caseSensitive: false, limit: 10 };
  const found = await master.call('files.search', { ...search, task: randomUUID() });
  expect(found.hits.map(({ path }) => path)).toEqual(['/templates/arena/motd.txt']);
  const copy = {
    paths: ['/templates/arena/motd.txt'],
    folder: '/templates/bare',
    onConflict: 'refuse',
  } as const;
  await master.call('files.copy', { ...copy, paths: [...copy.paths], task: randomUUID() });
  const events = await master.call('activity.list', { limit: 20 });
  expect(events.map(({ kind, template }) => `${kind} ${template}`)).toEqual(
    expect.arrayContaining(['template.files-restored lobby', 'files.copied bare', 'template.created arena']),
  );
});
