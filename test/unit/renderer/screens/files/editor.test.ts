import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { connections } from '#renderer/stores/connection/connections.svelte.ts';
import { editors } from '#renderer/stores/files/editors.svelte.ts';
import { allUnsaved, reportUnsaved } from '#renderer/stores/documents/unsaved.svelte.ts';
import { tick } from 'svelte';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ExternalEdit, OpenedFile } from '#shared/ipc/contract.ts';
import { aConnection, aLink, AT } from '#test/support/app/models.ts';
import { FilesWorld, REMOTE, rowOf } from './files-world.ts';

const PATH = '/templates/lobby/eula.txt';
let world: FilesWorld;
/** The file on the master. */
let stored: OpenedFile;

beforeEach(async () => {
  for (const { path } of editors.list) editors.close(path);
  stored = { path: PATH, text: 'eula=false\n', version: 'v1', bytes: 11, modifiedAt: AT, mode: 0o644 };
  world = new FilesWorld();
  world.bridge
    .answer('files.open', () => stored)
    .answer('files.save', ({ text, version }) => {
      if (version !== null && version !== stored.version)
        throw new OverworldError('FILE_CHANGED', { path: PATH });
      // The app's main process keeps CRLF line ends.
      const saved = stored.text.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
      stored = { ...stored, text: saved, version: `${stored.version}+` };
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

  it('keeps the text if another person has deleted the file, and creates the file again on request', async () => {
    let isGone = true;
    const notFound = () => new OverworldError('FILE_NOT_FOUND', { path: PATH });
    world.bridge
      .answer('files.open', () => Promise.reject(notFound()))
      .answer('files.save', ({ text, version }) => {
        if (isGone && version !== null) throw notFound();
        isGone = false;
        stored = { ...stored, text, version: 'v2' };
        return stored;
      });
    type('mine');
    await fireEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByText(/was deleted or renamed by someone else/)).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: 'Reload from the master' }));
    await fireEvent.click(await screen.findByRole('button', { name: 'Reload' }));
    type('eula=false\n');
    expect(allUnsaved(), 'the text is nowhere else').toEqual([`file ${PATH}`]);
    expect(screen.queryByRole('alert')).toBeNull();

    await fireEvent.click(screen.getByRole('button', { name: 'Create it again' }));
    await waitFor(() => expect(screen.queryByText(/was deleted or renamed/)).toBeNull());
    expect(stored.text).toBe('eula=false\n');
    expect(allUnsaved()).toEqual([]);
  });

  it('does not overwrite a deleted file that another person has created again', async () => {
    world.bridge.answer('files.save', () => {
      throw new OverworldError('FILE_NOT_FOUND', { path: PATH });
    });
    type('mine');
    await fireEvent.click(screen.getByRole('button', { name: 'Save' }));
    const createAgain = await screen.findByRole('button', { name: 'Create it again' });
    stored = { ...stored, text: 'theirs', version: 'v2' };
    await fireEvent.click(createAgain);
    expect(await screen.findByText(/was changed by someone else/)).toBeTruthy();
    expect(screen.queryByText(/was deleted or renamed/)).toBeNull();
    expect(world.bridge.askedFor('files.save')).toHaveLength(1);
  });

  it.each([
    ['the same text', 'mine'],
    ['a longer text', 'mine and more'],
  ])(
    'reports no conflict for %s after a save that was stored although its answer was lost',
    async (_what, later) => {
      let isLost = true;
      world.bridge.answer('files.save', ({ text, version }) => {
        if (version !== stored.version) throw new OverworldError('FILE_CHANGED', { path: PATH });
        stored = { ...stored, text, version: `${stored.version}+` };
        if (isLost) throw new OverworldError('CONNECTION_LOST', { address: '127.0.0.1:2022' });
        return stored;
      });
      type('mine');
      await fireEvent.click(screen.getByRole('button', { name: 'Save' }));
      await screen.findByText('It was not saved');
      isLost = false;
      type(later);
      await fireEvent.click(screen.getByRole('button', { name: 'Save' }));
      await waitFor(() => expect(editors.get(PATH)?.dirty).toBe(false));
      expect(stored.text).toBe(later);
      expect(screen.queryByText(/was changed by someone else/)).toBeNull();
    },
  );

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
