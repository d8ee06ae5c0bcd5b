import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  actOf,
  firstTicks,
  overwritesNewer,
  totalsOf,
  totalWords,
} from '#renderer/screens/files/sync/sync.ts';
import { syncRowSchema, type SyncRow } from '#shared/ipc/contract.ts';
import { AT } from '#test/support/app/models.ts';
import { FilesWorld, LOCAL } from './files-world.ts';

const here = { bytes: 100, modifiedAt: AT };
const there = { bytes: 70, modifiedAt: AT - 60_000 };
const rows: SyncRow[] = [
  { path: 'a.txt', local: here, remote: there, verdict: 'local newer' },
  { path: 'b.txt', local: here, remote: null, verdict: 'local only' },
  { path: 'c.txt', local: null, remote: there, verdict: 'remote only' },
  { path: 'd.txt', local: there, remote: here, verdict: 'remote newer' },
  { path: 'e.txt', local: here, remote: here, verdict: 'same' },
];

describe('the preselected actions of a synchronisation', () => {
  it('delete no files by default if the master is the target', () => {
    const plan = { to: 'remote', deletes: false } as const;
    expect(rows.map((row) => actOf(row, plan))).toEqual(['replace', 'add', null, 'replace', null]);
    expect([...firstTicks(rows, plan)]).toEqual(['a.txt', 'b.txt']);
    expect(totalWords(totalsOf(rows, firstTicks(rows, plan), plan), 'remote')).toBe('2 files, 200 B up');
  });

  it('delete files on this computer if the user has chosen to delete files', () => {
    const plan = { to: 'local', deletes: true } as const;
    expect(rows.map((row) => actOf(row, plan))).toEqual(['replace', 'delete', 'add', 'replace', null]);
    expect([...firstTicks(rows, plan)]).toEqual(['b.txt', 'c.txt', 'd.txt']);
    expect(totalWords(totalsOf(rows, firstTicks(rows, plan), plan), 'local')).toBe(
      '2 files, 170 B down, 1 deleted',
    );
  });

  it('neither delete files nor overwrite newer files by default', () => {
    const aRow = fc.record({
      path: fc.string(),
      local: fc.option(fc.constant(here)),
      remote: fc.option(fc.constant(there)),
      verdict: fc.constantFrom(...syncRowSchema.shape.verdict.options),
    });
    fc.assert(
      fc.property(fc.array(aRow), fc.constantFrom('local' as const, 'remote' as const), (some, to) => {
        const plan = { to, deletes: false };
        expect(some.map((row) => actOf(row, plan))).not.toContain('delete');
        const ticked = firstTicks(some, plan);
        expect(totalsOf(some, ticked, plan).deleted).toBe(0);
        for (const row of some)
          if (overwritesNewer(row, to) && some.filter(({ path }) => path === row.path).length === 1)
            expect(ticked.has(row.path)).toBe(false);
      }),
    );
  });
});

describe('the comparison of two folders', () => {
  let world: FilesWorld;

  beforeEach(async () => {
    world = new FilesWorld();
    world.bridge
      .answer('sync.compare', () => ({ comparison: 'c1', rows }))
      .answer('sync.start', ({ paths }) => ({ copied: paths.length, deleted: 0 }));
    await world.open('/templates/lobby');
    await waitFor(() => expect(screen.getByRole('grid', LOCAL).textContent).toContain('motd.txt'));
    await fireEvent.click(screen.getByRole('button', { name: 'Compare' }));
    await screen.findByText('→ new');
  });
  afterEach(() => world.close());

  it('shows the differences, and applies only the selected rows', async () => {
    expect(world.bridge.askedFor('sync.compare')).toMatchObject([
      { local: '/home/anna', remote: '/templates/lobby', content: false },
    ]);
    const table = screen.getByRole('grid', { name: 'Differences' });
    expect(table.textContent).not.toContain('e.txt');
    await fireEvent.click(within(table).getByRole('checkbox', { name: 'Select a.txt' }));
    expect(screen.getByText('1 file, 100 B up')).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: 'Synchronise' }));
    await waitFor(() =>
      expect(world.bridge.askedFor('sync.start')).toEqual([
        { comparison: 'c1', to: 'remote', paths: ['b.txt'], deletes: false },
      ]),
    );
  });

  it('keeps the selected rows when the user decides about deletions', async () => {
    const table = screen.getByRole('grid', { name: 'Differences' });
    await fireEvent.click(within(table).getByRole('checkbox', { name: 'Select a.txt' }));
    await fireEvent.click(within(table).getByRole('checkbox', { name: 'Select d.txt' }));
    const deletes = screen.getByRole('checkbox', { name: 'Delete files that exist only there' });
    await fireEvent.click(deletes);
    expect(screen.getByText('2 files, 170 B up, 1 deleted')).toBeTruthy();
    await fireEvent.click(deletes);
    await fireEvent.click(screen.getByRole('button', { name: 'Synchronise' }));
    const dialog = await screen.findByRole('dialog', { name: /2 files, 170 B up/ });
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Synchronise' }));
    await waitFor(() =>
      expect(world.bridge.askedFor('sync.start')).toEqual([
        { comparison: 'c1', to: 'remote', paths: ['b.txt', 'd.txt'], deletes: false },
      ]),
    );
  });

  it('selects the rows anew for another direction', async () => {
    const table = screen.getByRole('grid', { name: 'Differences' });
    await fireEvent.click(within(table).getByRole('checkbox', { name: 'Select a.txt' }));
    await fireEvent.change(screen.getByRole('combobox', { name: 'Direction' }), {
      target: { value: 'local' },
    });
    expect(screen.getByText('2 files, 170 B down')).toBeTruthy();
  });

  it('asks for confirmation before it deletes files', async () => {
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Delete files that exist only there' }));
    await fireEvent.click(screen.getByRole('button', { name: 'Synchronise' }));
    const dialog = await screen.findByRole('dialog', { name: /2 files, 200 B up, 1 deleted/ });
    expect(dialog.textContent).toContain('which cannot be undone');
    expect(world.bridge.askedFor('sync.start')).toEqual([]);
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Synchronise' }));
    await waitFor(() =>
      expect(world.bridge.askedFor('sync.start')).toEqual([
        { comparison: 'c1', to: 'remote', paths: ['a.txt', 'b.txt', 'c.txt'], deletes: true },
      ]),
    );
  });
});
