import { renameSync } from 'node:fs';
import { cp, mkdir, open, readFile, readdir, rm, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigStore } from '#master/store/config-store.ts';
import { brokenMasters } from '#test/support/master/broken-documents/masters.ts';
import { brokenTemplates } from '#test/support/master/broken-documents/templates.ts';
import { brokenTexts } from '#test/support/master/broken-documents/texts.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

async function openStore(data: string): Promise<ConfigStore> {
  const errors: unknown[] = [];
  const store = await ConfigStore.open(data, (error) => errors.push(error));
  onTestFinished(() => {
    store.close();
    expect(errors).toEqual([]);
  });
  return store;
}

const lobbyFile = (data: string): string => join(data, 'config', 'templates', 'lobby.json');

describe('ConfigStore (stores the configuration files of the master)', () => {
  it('uses default values for missing files, and creates a file only when a value changes', async () => {
    const data = temporaryFolder();
    const store = await openStore(data);
    expect(store.master).toMatchObject({ revision: 'absent', problems: [] });
    expect(store.master.config.max_online_players).toBe(100);
    expect(await readdir(join(data, 'config'))).toEqual(['templates']);
  });

  it('confirms a change only after it is on the disk, and contains it after a restart', async () => {
    const data = temporaryFolder();
    const store = await openStore(data);
    await store.createTemplate('lobby', { name: 'Lobby', maxPlayers: 20 });
    const onDisk: unknown = JSON.parse(await readFile(lobbyFile(data), 'utf8'));
    expect(onDisk).toMatchObject({ name: 'Lobby', maxPlayers: 20, maxJvmMemory: 1024 });
    const next = await openStore(data);
    expect(next.template('lobby')).toEqual(store.template('lobby'));
  });

  it('uses the known values of a file with an unknown setting of a newer master', async () => {
    const data = temporaryFolder();
    const store = await openStore(data);
    await store.createTemplate('lobby', { minimumRunningServers: 3 });
    store.close();
    for (const file of [lobbyFile(data), join(data, 'state', 'last-good', 'templates', 'lobby.json')]) {
      const document = JSON.parse(await readFile(file, 'utf8')) as object;
      await writeFile(file, JSON.stringify({ ...document, worldBorder: 500 }));
    }
    const older = await openStore(data);
    expect(older.template('lobby').config.minimumRunningServers).toBe(3);
    expect(older.template('lobby').problems).toMatchObject([{ field: 'worldBorder' }]);
  });

  it('rejects an invalid value, and changes nothing', async () => {
    const data = temporaryFolder();
    const store = await openStore(data);
    const { revision } = await store.createTemplate('lobby', { name: 'Lobby' });
    const before = await readFile(lobbyFile(data), 'utf8');
    const write = store.writeTemplate('lobby', { name: 'Lobby', maxPlayers: 0 }, revision);
    await expect(write).rejects.toMatchObject({ code: 'CONFIG_FAULTY' });
    expect(await readFile(lobbyFile(data), 'utf8')).toBe(before);
    expect(store.template('lobby').revision).toBe(revision);
  });

  it('rejects a change of an outdated version of a file', async () => {
    const data = temporaryFolder();
    const store = await openStore(data);
    const { revision } = await store.createTemplate('lobby', { name: 'Lobby' });
    await writeFile(lobbyFile(data), JSON.stringify({ name: 'By hand' }));
    const write = store.writeTemplate('lobby', { name: 'Mine' }, revision);
    await expect(write).rejects.toMatchObject({ code: 'CONFIG_CONFLICT' });
    expect(await readFile(lobbyFile(data), 'utf8')).toBe(JSON.stringify({ name: 'By hand' }));
  });

  it('reports an edit by hand even if the first read after it is part of a rejected change', async () => {
    const data = temporaryFolder();
    const store = await openStore(data);
    const { revision } = await store.createTemplate('lobby', { maxPlayers: 5 });
    const seen: unknown[] = [];
    store.onChange((change, how) => seen.push([how, change.kind, 'state' in change && change.state.config]));
    await writeFile(lobbyFile(data), JSON.stringify({ maxPlayers: 6 }));
    await writeFile(join(data, 'config', 'master.json'), JSON.stringify({ max_online_players: 7 }));
    const rejected = { status: 'rejected', reason: { code: 'CONFIG_CONFLICT' } };
    const writes = [store.writeTemplate('lobby', {}, revision), store.writeMaster({}, 'absent')];
    expect(await Promise.allSettled(writes)).toMatchObject([rejected, rejected]);
    await store.refresh();
    expect(seen).toMatchObject([
      ['by hand', 'template', { maxPlayers: 6 }],
      ['by hand', 'master', { max_online_players: 7 }],
    ]);
  });

  it('reports the removal of a template by hand once, even if a change of the template is rejected first', async () => {
    const data = temporaryFolder();
    const store = await openStore(data);
    const { revision } = await store.createTemplate('lobby', {});
    const seen: unknown[] = [];
    store.onChange((change, how) => seen.push([how, change.kind]));
    await unlink(lobbyFile(data));
    await expect(store.writeTemplate('lobby', {}, revision)).rejects.toMatchObject({
      code: expect.stringMatching(/^(CONFIG_CONFLICT|TEMPLATE_NOT_FOUND)$/) as string,
    });
    await store.refresh();
    expect(seen).toEqual([['by hand', 'template removed']]);
  });

  it('accepts only one of several changes that are based on the same version', async () => {
    const store = await openStore(temporaryFolder());
    const { revision } = await store.createTemplate('lobby', {});
    const writes = Array.from({ length: 20 }, (_, i) =>
      store.writeTemplate('lobby', { maxPlayers: i + 2 }, revision),
    );
    const results = await Promise.allSettled(writes);
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  });

  it('reads files again that were changed, created or deleted by hand', async () => {
    const data = temporaryFolder();
    const store = await openStore(data);
    await store.createTemplate('lobby', {});
    const seen: string[] = [];
    store.onChange((change, how) => {
      if (how === 'by hand') seen.push(`${change.kind} ${'id' in change ? change.id : ''}`.trim());
    });
    await writeFile(lobbyFile(data), JSON.stringify({ maxPlayers: 7 }));
    await waitFor(() => store.template('lobby').config.maxPlayers === 7);
    await writeFile(join(data, 'config', 'templates', 'arena.json'), '{}');
    await waitFor(() => store.templates.has('arena'));
    await writeFile(join(data, 'config', 'master.json'), JSON.stringify({ max_online_players: 5 }));
    await waitFor(() => store.master.config.max_online_players === 5);
    await unlink(lobbyFile(data));
    await waitFor(() => !store.templates.has('lobby'));
    expect(seen).toEqual(
      expect.arrayContaining(['template lobby', 'template arena', 'master', 'template removed lobby']),
    );
  });

  it('reads files again that were changed by hand after their folder was replaced by a copy', async () => {
    const data = temporaryFolder();
    const store = await openStore(data);
    await store.createTemplate('lobby', {});
    const templates = join(data, 'config', 'templates');
    const copy = join(data, 'copy');
    await cp(templates, copy, { recursive: true });
    await writeFile(join(copy, 'lobby.json'), JSON.stringify({ maxPlayers: 5 }));
    // Make both changes in one step, so that the store reads only once.
    renameSync(templates, join(data, 'config', 'templates-before'));
    renameSync(copy, templates);
    await waitFor(() => store.template('lobby').config.maxPlayers === 5);
    await writeFile(lobbyFile(data), JSON.stringify({ maxPlayers: 7 }));
    await waitFor(() => store.template('lobby').config.maxPlayers === 7, { timeoutMs: 10_000 });
  });

  it('reads files again that were changed by hand after their folder was removed and created again', async () => {
    const data = temporaryFolder();
    const errors: unknown[] = [];
    const store = await ConfigStore.open(data, (error) => errors.push(error));
    onTestFinished(() => store.close());
    await store.createTemplate('lobby', { maxPlayers: 20 });
    const templates = join(data, 'config', 'templates');
    await rm(templates, { recursive: true });
    await waitFor(() => errors.length > 0);
    expect(errors[0]).toMatchObject({ code: 'ENOENT' });
    await mkdir(templates);
    await writeFile(join(templates, 'arena.json'), '{}');
    await waitFor(() => store.templates.has('arena'));
    await writeFile(lobbyFile(data), JSON.stringify({ maxPlayers: 7 }));
    await waitFor(() => store.template('lobby').config.maxPlayers === 7, { timeoutMs: 10_000 });
  });

  it.each([
    { says: 'broken JSON', text: '{ "maxPlayers": ', problem: /not valid JSON/ },
    { says: 'an unknown key', text: '{ "maxPlayer": 4 }', problem: /did you mean "maxPlayers"/ },
    { says: 'an empty file', text: '', problem: /empty/ },
    { says: 'a byte order mark', text: '\uFEFF{}', problem: /byte order mark/ },
    { says: 'a number out of range', text: '{ "maxPlayers": 0 }', problem: /too small/ },
  ])(
    'uses the last valid values, even after a restart, while a file is faulty: $says',
    async ({ text, problem }) => {
      const data = temporaryFolder();
      const store = await openStore(data);
      await store.createTemplate('lobby', { maxPlayers: 20 });
      await writeFile(lobbyFile(data), text);
      // The store may first read the file while it is still empty.
      await waitFor(() => problem.test(store.template('lobby').problems[0]?.problem ?? ''));
      const next = await openStore(data);
      for (const reader of [store, next]) {
        expect(reader.template('lobby').config.maxPlayers).toBe(20);
        expect(reader.template('lobby').problems[0]?.problem).toMatch(problem);
      }
      expect(await readFile(lobbyFile(data), 'utf8')).toBe(text);
      await writeFile(lobbyFile(data), '{ "maxPlayers": 30 }');
      await waitFor(() => store.template('lobby').config.maxPlayers === 30);
      expect(store.template('lobby').problems).toEqual([]);
    },
  );

  it('uses the last valid values for each kind of broken file that an editor may leave', async () => {
    const data = temporaryFolder();
    const store = await openStore(data);
    await store.createTemplate('lobby', { name: 'Lobby', maxPlayers: 20 });
    const good = store.template('lobby').config;
    for (const [what, text] of [...brokenTexts, ...brokenTemplates]) {
      await writeFile(lobbyFile(data), text);
      await store.refresh();
      expect(store.template('lobby').problems, what).not.toEqual([]);
      expect(store.template('lobby').config, what).toEqual(good);
    }
    for (const [what, text] of [...brokenTexts, ...brokenMasters]) {
      await writeFile(join(data, 'config', 'master.json'), text);
      await store.refresh();
      expect(store.master.problems, what).not.toEqual([]);
      expect(store.master.config.max_online_players, what).toBe(100);
    }
  });

  it('does not report a file as faulty while an editor has emptied it before writing', async () => {
    const data = temporaryFolder();
    const store = await openStore(data);
    await store.createTemplate('lobby', { maxPlayers: 20 });
    const faults: unknown[] = [];
    store.onChange((change) => {
      if (change.kind === 'template') faults.push(...change.state.problems);
    });
    for (let maxPlayers = 21; maxPlayers <= 25; maxPlayers += 1) {
      const file = await open(lobbyFile(data), 'w');
      // Simulate an editor whose content arrives over a slow network, as with sshfs.
      await setTimeout(150);
      await file.writeFile(JSON.stringify({ maxPlayers }));
      await file.close();
      await waitFor(() => store.template('lobby').config.maxPlayers === maxPlayers);
    }
    expect(faults).toEqual([]);
  });

  it('rejects a file of 100 MB without reading it, and a file that is not UTF-8', async () => {
    const data = temporaryFolder();
    const store = await openStore(data);
    await store.createTemplate('lobby', { maxPlayers: 20 });
    const before = process.memoryUsage().rss;
    await truncate(lobbyFile(data), 100 * 1_048_576);
    await store.refresh();
    expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1_048_576);
    expect(store.template('lobby').problems[0]?.problem).toContain('the maximum is 1048576');
    await writeFile(lobbyFile(data), Buffer.from([0x7b, 0xff, 0xfe, 0x7d]));
    await store.refresh();
    expect(store.template('lobby').problems[0]?.problem).toContain('not UTF-8');
    expect(store.template('lobby').config.maxPlayers).toBe(20);
  });

  it('neither loses a template nor brings back a removed template if files are read and changed at the same time', async () => {
    const store = await openStore(temporaryFolder());
    const work = Array.from({ length: 30 }, async (_, i) => {
      const id = `t${i}`;
      await store.createTemplate(id, {});
      await store.refresh();
      if (i % 2 === 0) await store.removeTemplate(id);
    });
    await Promise.all([...work, store.refresh(), store.refresh()]);
    const expected = Array.from({ length: 30 }, (_, i) => `t${i}`).filter((_, i) => i % 2 === 1);
    expect([...store.templates.keys()].sort()).toEqual(expected.sort());
  });
});
