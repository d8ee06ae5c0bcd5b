import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { connections } from '#renderer/stores/connection/connections.svelte.ts';
import { editors } from '#renderer/stores/files/editors.svelte.ts';
import { allUnsaved, reportUnsaved } from '#renderer/stores/documents/unsaved.svelte.ts';
import { tick } from 'svelte';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { toasts } from '#renderer/ui/overlay/toasts.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ExternalEdit, OpenedFile } from '#shared/ipc/contract.ts';
import { aConnection, aLink, AT } from '#test/support/app/models.ts';
import { FilesWorld, REMOTE, rowOf } from './files-world.ts';

const PATH = '/templates/lobby/eula.txt';
let world: FilesWorld;
/** The file on the master. */
let stored: OpenedFile;
/** Whether the file does not exist on the master. */
let isGone: boolean;
/** The error of the next save, and whether the save is stored all the same. Null if the next save succeeds. */
let failure: { readonly error: OverworldError; readonly isStored: boolean } | null;

beforeEach(async () => {
  for (const { path } of editors.list) editors.close(path);
  stored = { path: PATH, text: 'eula=false\n', version: 'v1', bytes: 11, modifiedAt: AT, mode: 0o644 };
  world = new FilesWorld();
  isGone = false;
  failure = null;
  world.bridge
    .answer('files.open', () => {
      if (isGone) throw new OverworldError('FILE_NOT_FOUND', { path: PATH });
      return stored;
    })
    .answer('files.save', ({ text, version, mode }) => {
      const failed = failure;
      failure = null;
      if (failed?.isStored === false) throw failed.error;
      if (version !== (isGone ? null : stored.version))
        throw new OverworldError(isGone ? 'FILE_NOT_FOUND' : 'FILE_CHANGED', { path: PATH });
      // The app's main process keeps CRLF line ends.
      const saved = !isGone && stored.text.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
      stored = { ...stored, text: saved, version: `${stored.version}+`, mode: mode ?? stored.mode };
      isGone = false;
      if (failed !== null) throw failed.error;
      return stored;
    });
  await world.open('/templates/lobby');
  const grid = await screen.findByRole('grid', REMOTE);
  await waitFor(() => expect(grid.textContent).toContain('eula.txt'));
  await fireEvent.dblClick(rowOf(grid, 'eula.txt'));
  await screen.findByRole('heading', { name: 'eula.txt' });
  await waitFor(() => expect(editors.get(PATH)?.base).not.toBeNull());
});
afterEach(() => world.close());

/** Returns the state of the file of a master that is open in another program. */
function anEdit(connection: string, of: Partial<ExternalEdit> = {}): ExternalEdit {
  return { id: `${connection} 1`, connection, path: PATH, state: 'open', savedAt: null, error: null, ...of };
}

/** Lets the next save fail. @param isStored whether the master stores the text, but its answer is lost */
function failNext(error: OverworldError, { isStored }: { isStored: boolean }): void {
  failure = { error, isStored };
}

const answerLost = () => new OverworldError('CONNECTION_LOST', { address: '127.0.0.1:2022' });

async function pressSave(): Promise<void> {
  await fireEvent.click(screen.getByRole('button', { name: 'Save' }));
}

/** Deletes the file on the master, and tries to save a text. */
async function saveDeleted(text: string): Promise<void> {
  type(text);
  isGone = true;
  await pressSave();
  await screen.findByRole('button', { name: 'Create it again' });
}

function type(text: string): void {
  const document = editors.get(PATH);
  if (document === undefined) throw new Error('it is not open');
  document.text = text;
}

describe('the file editor', () => {
  it('opens a text file with a double click, and saves it with Ctrl+S', async () => {
    expect(route.address).toBe('files/edit/templates/lobby/eula.txt');
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(true);
    type('eula=true\n');
    await waitFor(() => expect(screen.getByText(', not saved')).toBeTruthy());
    expect(allUnsaved()).toEqual([`file ${PATH}`]);
    await fireEvent.keyDown(window, { key: 's', ctrlKey: true });
    await waitFor(() => expect(stored.text).toBe('eula=true\n'));
    await waitFor(() => expect(screen.queryByText(', not saved')).toBeNull());
    expect(world.bridge.askedFor('files.save')).toEqual([{ path: PATH, text: 'eula=true\n', version: 'v1' }]);
  });

  it('shows that a file with CRLF line ends is saved, and keeps its line ends', async () => {
    stored = { ...stored, text: 'a\r\nb\r\n' };
    await editors.get(PATH)?.load();
    expect(editors.get(PATH)?.text).toBe('a\nb\n');
    type('a\nc\n');
    await waitFor(() => expect(screen.getByText(', not saved')).toBeTruthy());
    await fireEvent.keyDown(window, { key: 's', ctrlKey: true });
    await waitFor(() => expect(stored.text).toBe('a\r\nc\r\n'));
    await waitFor(() => expect(screen.queryByText(', not saved')).toBeNull());
  });

  it('reports to the main process which texts have unsaved changes', async () => {
    const told = (): readonly unknown[] => world.bridge.askedFor('app.unsaved');
    const stop = reportUnsaved();
    await waitFor(() => expect(told()).toEqual([{ names: [] }]));
    type('m');
    await waitFor(() => expect(told()).toHaveLength(2));
    type('mi');
    await tick();
    type(stored.text);
    await waitFor(() => expect(told()).toHaveLength(3));
    expect(told().slice(1)).toEqual([{ names: [`file ${PATH}`] }, { names: [] }]);
    stop();
    type('mine');
    await tick();
    expect(told()).toHaveLength(3);
  });

  it('asks for confirmation before it overwrites a change by another person', async () => {
    type('mine');
    stored = { ...stored, text: 'theirs', version: 'v2' };
    await fireEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByText(/was changed by someone else/)).toBeTruthy();
    expect(stored.text).toBe('theirs');
    await fireEvent.click(screen.getByRole('button', { name: 'Compare' }));
    const both = await screen.findByRole('dialog', { name: 'Both versions of eula.txt' });
    await fireEvent.click(within(both).getByRole('button', { name: 'Overwrite with mine' }));
    await waitFor(() => expect(stored.text).toBe('mine'));
    // The save is based on the version that the user compared. If a third version existed, the save would be rejected
    // again.
    expect(world.bridge.askedFor('files.save').at(-1)).toEqual({ path: PATH, text: 'mine', version: 'v2' });
  });

  it('keeps the text if the file was deleted, and creates the file again on request', async () => {
    await saveDeleted('mine');
    expect(
      screen.getByText(/^eula.txt no longer exists: it was deleted, moved or renamed after you opened it/),
    ).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: 'Reload from the master' }));
    await fireEvent.click(await screen.findByRole('button', { name: 'Reload' }));
    await waitFor(() => expect(editors.get(PATH)?.loading).toBe(false));
    type('eula=false\n');
    expect(allUnsaved(), 'the text is nowhere else').toEqual([`file ${PATH}`]);
    expect(screen.queryByRole('alert')).toBeNull();

    await fireEvent.click(screen.getByRole('button', { name: 'Create it again' }));
    await waitFor(() => expect(screen.queryByText(/no longer exists/)).toBeNull());
    expect(stored.text).toBe('eula=false\n');
    expect(allUnsaved()).toEqual([]);
  });

  it.each([
    ['Ctrl+S', () => fireEvent.keyDown(window, { key: 's', ctrlKey: true })],
    ['its button in the header', pressSave],
    [
      'its button in the dialog of a tab that is closed',
      async () => {
        await fireEvent.click(screen.getByRole('button', { name: 'Close eula.txt' }));
        const dialog = within(await screen.findByRole('dialog', { name: 'eula.txt is not saved' }));
        await fireEvent.click(dialog.getByRole('button', { name: 'Save' }));
      },
    ],
  ])('creates a deleted file again if the person saves it with %s', async (_how, save) => {
    await saveDeleted('mine');
    await save();
    await waitFor(() => expect(isGone).toBe(false));
    expect(stored.text).toBe('mine');
    await waitFor(() => expect(toasts.list.at(-1)?.text).toBe('Created eula.txt again'));
    toasts.list.forEach(({ id }) => toasts.close(id));
  });

  it('creates a deleted file with "Try again" after the first attempt failed', async () => {
    await saveDeleted('mine');
    failNext(new OverworldError('DISK_FULL', { path: PATH }), { isStored: false });
    await fireEvent.click(screen.getByRole('button', { name: 'Create it again' }));
    expect(await screen.findByText('It was not saved')).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await waitFor(() => expect(isGone).toBe(false));
    expect(stored.text).toBe('mine');
  });

  it('says what to do if the folder of a deleted file no longer exists, too', async () => {
    await saveDeleted('mine');
    failNext(new OverworldError('FILE_NOT_FOUND', { path: '/templates/lobby' }), { isStored: false });
    await fireEvent.click(screen.getByRole('button', { name: 'Create it again' }));
    expect((await screen.findByRole('alert')).textContent).toContain(
      'Its folder no longer exists. Create the folder again, or copy your text to another file.',
    );
  });

  it('creates a deleted file again with its line ends and its permissions', async () => {
    stored = { ...stored, text: 'a\r\nb\r\n', mode: 0o755 };
    await editors.get(PATH)?.load();
    await saveDeleted('a\nc\n');
    stored = { ...stored, mode: 0 };
    await fireEvent.click(screen.getByRole('button', { name: 'Create it again' }));
    await waitFor(() => expect(editors.get(PATH)?.dirty).toBe(false));
    expect(stored).toMatchObject({ text: 'a\r\nc\r\n', mode: 0o755 });
  });

  it('does not overwrite a deleted file that another person has created again', async () => {
    await saveDeleted('mine');
    stored = { ...stored, text: 'theirs', version: 'v2' };
    isGone = false;
    await fireEvent.click(screen.getByRole('button', { name: 'Create it again' }));
    expect(await screen.findByText(/was changed by someone else/)).toBeTruthy();
    expect(screen.queryByText(/no longer exists/)).toBeNull();
    expect(stored.text).toBe('theirs');
  });

  it.each([
    ['the same text', 'mine'],
    ['a longer text', 'mine and more'],
    ['the original text', 'eula=false\n'],
  ])(
    'reports no conflict for %s after a save that was stored although its answer was lost',
    async (_what, later) => {
      type('mine');
      failNext(answerLost(), { isStored: true });
      await pressSave();
      await screen.findByText('It was not saved');
      type(later);
      expect(allUnsaved(), 'the master has another text').toEqual([`file ${PATH}`]);
      await waitFor(pressSave);
      await waitFor(() => expect(editors.get(PATH)?.dirty).toBe(false));
      expect(stored.text).toBe(later);
      expect(screen.queryByText(/was changed by someone else/)).toBeNull();
    },
  );

  it.each(['mine', 'mine and more'])(
    'reports no conflict for the text "%s" after a file was created again although the answer was lost',
    async (later) => {
      await saveDeleted('mine');
      failNext(answerLost(), { isStored: true });
      await fireEvent.click(screen.getByRole('button', { name: 'Create it again' }));
      await screen.findByText('It was not saved');
      type(later);
      await fireEvent.click(screen.getByRole('button', { name: 'Create it again' }));
      await waitFor(() => expect(editors.get(PATH)?.dirty).toBe(false));
      expect(stored.text).toBe(later);
      expect(screen.queryByText(/was changed by someone else/)).toBeNull();
    },
  );

  it('has no unsaved changes after the master refused a text and the person undid the changes', async () => {
    type('mine');
    failNext(new OverworldError('DISK_FULL', { path: PATH }), { isStored: false });
    await pressSave();
    await screen.findByText('It was not saved');
    type('eula=false\n');
    expect(allUnsaved()).toEqual([]);
  });

  it("can load the other person's version instead of the user's changes", async () => {
    type('mine');
    stored = { ...stored, text: 'theirs', version: 'v2' };
    await fireEvent.click(screen.getByRole('button', { name: 'Save' }));
    await fireEvent.click(await screen.findByRole('button', { name: 'Use theirs' }));
    expect(editors.get(PATH)?.text).toBe('theirs');
    expect(editors.get(PATH)?.dirty).toBe(false);
  });

  it('asks before a tab with changes is closed, and keeps the changes while another screen is open', async () => {
    type('mine');
    await fireEvent.click(screen.getByRole('button', { name: 'Back to files' }));
    await screen.findByRole('grid', REMOTE);
    await fireEvent.click(screen.getByRole('button', { name: '1 open, 1 not saved' }));
    await fireEvent.click(await screen.findByRole('button', { name: 'Close eula.txt' }));
    const dialog = await screen.findByRole('dialog', { name: 'eula.txt is not saved' });
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Keep editing' }));
    expect(editors.get(PATH)?.text).toBe('mine');
    await fireEvent.click(await screen.findByRole('button', { name: 'Close eula.txt' }));
    await fireEvent.click(await screen.findByRole('button', { name: 'Close without saving' }));
    await waitFor(() => expect(route.address).toBe('files/templates/lobby'));
    expect(editors.list).toEqual([]);
  });

  it('lets the user resolve a conflict if the file is open in another program', async () => {
    world.bridge.answer('files.settleExternal', () => ({}));
    await fireEvent.click(screen.getByRole('button', { name: 'Back to files' }));
    world.bridge.push('externalEdits', [anEdit('embedded', { state: 'conflict' })]);
    await fireEvent.click(await screen.findByRole('button', { name: 'Upload mine' }));
    await waitFor(() =>
      expect(world.bridge.askedFor('files.settleExternal')).toEqual([{ id: 'embedded 1', keep: 'mine' }]),
    );
  });

  it.each(['Survival', null])(
    'uploads and downloads no file of another master (%s) while this master is in use, and says why',
    async (other) => {
      const profiles = other === null ? [] : [aConnection({ id: 'other', name: other, active: false })];
      connections.value = [aConnection(), ...profiles];
      onTestFinished(() => void (connections.value = null));
      await fireEvent.click(screen.getByRole('button', { name: 'Back to files' }));
      const edits = ['embedded', 'other'].flatMap((id) => [
        anEdit(id, { id: `${id} 1`, state: 'conflict' }),
        anEdit(id, { id: `${id} 2`, state: 'failed' }),
      ]);
      world.bridge.push('externalEdits', edits);
      const master = other === null ? 'a removed master' : `“${other}”`;
      for (const name of ['Upload mine', 'Use theirs', 'Upload again']) {
        const buttons = await screen.findAllByRole<HTMLButtonElement>('button', { name });
        expect(buttons.map(({ disabled, title }) => [disabled, title])).toEqual([
          [false, ''],
          [true, `The file is on ${master}, but another master is in use`],
        ]);
      }
      for (const button of screen.getAllByRole<HTMLButtonElement>('button', { name: 'Stop watching' }))
        expect(button.disabled).toBe(false);
    },
  );

  it('uploads and downloads no file while the app is not connected, and says why', async () => {
    await fireEvent.click(screen.getByRole('button', { name: 'Back to files' }));
    world.bridge.push('externalEdits', [anEdit('embedded', { state: 'conflict' })]);
    const upload = await screen.findByRole<HTMLButtonElement>('button', { name: 'Upload mine' });
    expect(upload.disabled).toBe(false);
    world.bridge.push('link', aLink({ status: 'waiting' }));
    await waitFor(() => expect(upload.disabled).toBe(true));
    expect(upload.title).toBe('Not possible without a connection to the master');
  });

  it.each(['conflict', 'failed'] as const)(
    'asks before it discards a file that was saved in another program and not uploaded (%s)',
    async (state) => {
      world.bridge.answer('files.settleExternal', () => ({}));
      await fireEvent.click(screen.getByRole('button', { name: 'Back to files' }));
      world.bridge.push('externalEdits', [anEdit('embedded', { state })]);
      await fireEvent.click(await screen.findByRole('button', { name: 'Stop watching' }));
      const dialog = within(await screen.findByRole('dialog', { name: 'Discard your version of eula.txt?' }));
      expect(world.bridge.askedFor('files.settleExternal')).toEqual([]);
      await fireEvent.click(dialog.getByRole('button', { name: 'Discard version' }));
      await waitFor(() =>
        expect(world.bridge.askedFor('files.settleExternal')).toMatchObject([{ keep: 'close' }]),
      );
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    },
  );

  it('names the other master if files with the same path on two masters are open in other programs', async () => {
    connections.value = [aConnection(), aConnection({ id: 'survival', name: 'Survival', active: false })];
    onTestFinished(() => void (connections.value = null));
    world.bridge.answer('files.settleExternal', () => ({}));
    await fireEvent.click(screen.getByRole('button', { name: 'Back to files' }));
    world.bridge.push(
      'externalEdits',
      ['embedded', 'survival', 'removed'].map((id) => anEdit(id)),
    );
    const rows = await screen.findAllByText(/is open in another program/);
    const open = 'is open in another program.';
    expect(rows.map(({ textContent }) => textContent)).toEqual([
      `${PATH} ${open} Saving it there uploads it`,
      `${PATH} on “Survival” ${open} If you save it there, it is uploaded once “Survival” is in use again`,
      `${PATH} on a removed master ${open} It can no longer be uploaded`,
    ]);
    const buttons = screen.getAllByRole('button', { name: 'Stop watching' });
    await fireEvent.click(buttons[1] ?? document.body);
    await waitFor(() =>
      expect(world.bridge.askedFor('files.settleExternal')).toEqual([{ id: 'survival 1', keep: 'close' }]),
    );
  });
});
