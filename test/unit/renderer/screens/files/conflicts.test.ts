import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerWords, choicesFor, firstChoice } from '#renderer/screens/files/dialogs/choices.ts';
import type { TransferPlan } from '#shared/ipc/contract.ts';
import { AT } from '#test/support/app/models.ts';
import { aConflict, aPlan, FilesWorld } from './files-world.ts';

describe('the preselected answer for a file that already exists', () => {
  const newer = { kind: 'file' as const, bytes: 1, modifiedAt: AT + 60_000 };
  it.each([
    ['overwrites an older target', aConflict('a'), 'overwrite'],
    ['skips a newer target', aConflict('a', { target: newer }), 'skip'],
    ['resumes an interrupted transfer', aConflict('a', { resumable: true }), 'resume'],
    [
      'skips a target that has become newer since the transfer was interrupted',
      aConflict('a', { resumable: true, target: newer }),
      'skip',
    ],
    [
      'skips a target of equal size whose time differs by less than two seconds',
      aConflict('a', { target: { kind: 'file', bytes: 2048, modifiedAt: AT - 1500 } }),
      'skip',
    ],
    [
      'never replaces a folder with a file',
      aConflict('a', { target: { kind: 'folder', bytes: 0, modifiedAt: AT } }),
      'rename',
    ],
  ])('%s', (_, conflict, want) => {
    expect(firstChoice(conflict)).toBe(want);
    expect(choicesFor(conflict)).toContain(want);
  });

  it('is the label of the confirm button', () => {
    expect(answerWords(['overwrite'])).toBe('Overwrite it');
    expect(answerWords(['rename'])).toBe('Keep both');
    expect(answerWords(['skip', 'overwrite', 'skip', 'rename'])).toBe('Overwrite 1, keep both of 1, skip 2');
  });
});

describe('the dialog about files that already exist', () => {
  let world: FilesWorld;

  beforeEach(() => {
    world = new FilesWorld();
  });
  afterEach(() => world.close());

  async function upload(conflicts: TransferPlan['conflicts']): Promise<HTMLElement> {
    await world.open('/templates/lobby');
    world.bridge.answer('files.planDrop', () => aPlan('p8', { files: 9, conflicts }));
    await drop();
    return screen.findByRole('dialog');
  }

  async function drop(): Promise<void> {
    await fireEvent.drop(await screen.findByRole('region', { name: 'Folder /templates/lobby' }), {
      dataTransfer: { types: ['Files'], files: [new File(['x'], 'server.jar')], dropEffect: 'none' },
    });
  }

  it('asks about transfers that were planned at the same time one after the other', async () => {
    await world.open('/templates/lobby');
    const names = ['a', 'b', 'c', 'd'];
    const plans = names.map((name) => aPlan(`plan ${name}`, { conflicts: [aConflict(name)] }));
    world.bridge.answer('files.planDrop', () => plans.shift() ?? aPlan('none'));
    await Promise.all(names.map(() => drop()));
    const choice = (name: string) => screen.findByRole('combobox', { name: `What to do with ${name}` });
    const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));
    await choice('a');
    await waitFor(() => expect(plans).toEqual([]));
    expect(screen.getAllByRole('dialog')).toHaveLength(1);
    await press('Overwrite it');
    await choice('b');
    await press('Close');
    await choice('c');
    await fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' });
    await choice('d');
    await press('Overwrite it');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(world.bridge.askedFor('transfers.start')).toEqual([
      { plan: 'plan a', onConflict: 'skip', each: { a: 'overwrite' } },
      { plan: 'plan d', onConflict: 'skip', each: { d: 'overwrite' } },
    ]);
  });

  it('answers only the first of two questions if the user double-clicks the button', async () => {
    await world.open('/templates/lobby');
    const plans = ['a', 'b'].map((name) => aPlan(`plan ${name}`, { conflicts: [aConflict(name)] }));
    world.bridge.answer('files.planDrop', () => plans.shift() ?? aPlan('none'));
    await Promise.all([drop(), drop()]);
    const click = async (name: string, detail: number): Promise<void> => {
      await screen.findByRole('combobox', { name: `What to do with ${name}` });
      await fireEvent.click(screen.getByRole('button', { name: 'Overwrite it' }), { detail });
    };
    const started = () => world.bridge.askedFor('transfers.start');
    await click('a', 1);
    await click('b', 2);
    expect(screen.getByRole('dialog')).toBeTruthy();
    expect(started()).toMatchObject([{ plan: 'plan a' }]);
    await click('b', 1);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(started()).toMatchObject([{ plan: 'plan a' }, { plan: 'plan b' }]);
  });

  it('makes invisible characters visible that could disguise a name', async () => {
    const dialog = await upload([aConflict('photo\u202Egpj.jar')]);
    expect(within(dialog).getByRole('row', { name: /photo⟨202E⟩gpj\.jar/ })).toBeTruthy();
    expect(dialog.outerHTML).not.toContain('\u202E');
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('shows both files, marks the newer file, and offers an answer for each name', async () => {
    const dialog = await upload([
      aConflict('server.jar'),
      aConflict('ops.json', { target: { kind: 'file', bytes: 9, modifiedAt: AT + 60_000 } }),
    ]);
    const line = within(dialog).getByRole('row', { name: /ops\.json/ });
    expect(line.textContent).toMatch(/2\.0 kB.*9 B\s*newer/s);
    expect(within(dialog).getByRole('button', { name: 'Overwrite 1, skip 1' })).toBeTruthy();
    expect(world.bridge.askedFor('transfers.start')).toEqual([]);
    await fireEvent.change(within(dialog).getByRole('combobox', { name: 'What to do with ops.json' }), {
      target: { value: 'rename' },
    });
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Overwrite 1, keep both of 1' }));
    await waitFor(() =>
      expect(world.bridge.askedFor('transfers.start')).toEqual([
        { plan: 'p8', onConflict: 'skip', each: { 'server.jar': 'overwrite', 'ops.json': 'rename' } },
      ]),
    );
  });

  it('can apply an answer to all names for which this answer is possible', async () => {
    const dialog = await upload([
      aConflict('a'),
      aConflict('b'),
      aConflict('c', { target: { kind: 'folder', bytes: 0, modifiedAt: AT } }),
    ]);
    await fireEvent.change(within(dialog).getByRole('combobox', { name: 'For all names' }), {
      target: { value: 'newer' },
    });
    await fireEvent.click(
      within(dialog).getByRole('button', { name: 'Overwrite if newer 2, keep both of 1' }),
    );
    await waitFor(() =>
      expect(world.bridge.askedFor('transfers.start')).toEqual([
        { plan: 'p8', onConflict: 'skip', each: { a: 'newer', b: 'newer', c: 'rename' } },
      ]),
    );
  });

  it('cancels the transfer when it is closed', async () => {
    const dialog = await upload([aConflict('a')]);
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(world.bridge.askedFor('transfers.start')).toEqual([]);
  });

  it('renders only the visible rows of 5,000 names', async () => {
    const dialog = await upload(Array.from({ length: 5000 }, (_, i) => aConflict(`f${i}`)));
    expect(dialog.textContent).toContain('5000 names already exist');
    expect(within(dialog).getAllByRole('combobox').length).toBeLessThan(60);
  });
});
