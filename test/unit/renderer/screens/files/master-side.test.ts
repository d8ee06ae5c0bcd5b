import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { editors } from '#renderer/stores/files/editors.svelte.ts';
import { master } from '#renderer/stores/master.svelte.ts';
import { toasts } from '#renderer/ui/overlay/toasts.svelte.ts';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { AT, anEntry } from '#test/support/app/models.ts';
import { chooseMore, FilesWorld, REMOTE, rowOf } from './files-world.ts';

let world: FilesWorld;

beforeEach(() => {
  world = new FilesWorld();
});
afterEach(() => world.close());

/** Returns the parameters of the requests. Replaces the random ID of the task. */
const asked = (method: 'files.search' | 'files.copy'): unknown =>
  world.bridge.askedFor(method).map((params) => ({ ...(params as object), task: 'some' }));

describe('the search in files of the master', () => {
  it('finds names and text in the shown folder and below, and opens the file at a match', async () => {
    const path = '/templates/lobby/server.properties';
    world.bridge.answer('files.open', () => ({
      path,
      text: 'a\nb\n',
      version: '1',
      bytes: 4,
      modifiedAt: AT,
      mode: 0o644,
    }));
    world.bridge.answerCall('files.search', () => ({
      hits: [
        {
          path,
          kind: 'file',
          bytes: 9,
          modifiedAt: AT,
          lines: [
            { line: 1, text: 'x=1' },
            { line: 7, text: 'x=7' },
          ],
        },
      ],
      more: true,
      searched: 40,
    }));
    await world.open('/templates/lobby');
    await screen.findByRole('grid', REMOTE);
    await fireEvent.keyDown(window, { key: 'F', ctrlKey: true, shiftKey: true });
    await screen.findByRole('heading', { name: 'Search files' });
    await fireEvent.click(screen.getByRole('button', { name: 'Search' }));
    expect(await screen.findByText(/Enter part of a name/)).toBeTruthy();
    await fireEvent.input(screen.getByLabelText('Name'), { target: { value: '*.properties' } });
    await fireEvent.input(screen.getByLabelText('Text inside'), { target: { value: 'x=' } });
    await fireEvent.click(screen.getByRole('button', { name: 'Search' }));
    expect(
      await screen.findByText('2 found in 40 files. There are more. Narrow the search to see them.'),
    ).toBeTruthy();
    expect(asked('files.search')).toEqual([
      {
        folder: '/templates/lobby',
        name: '*.properties',
        text: 'x=',
        caseSensitive: false,
        limit: 2000,
        task: 'some',
      },
    ]);
    const results = screen.getByRole('grid', { name: 'Results' });
    results.focus();
    await fireEvent.keyDown(results, { key: 'End' });
    await fireEvent.keyDown(results, { key: 'Enter' });
    expect(route.address).toBe('files/edit/templates/lobby/server.properties');
    expect(editors.get(path)?.goTo).toEqual({ line: 7 });
  });

  it('shows its progress, and the user can stop it', async () => {
    let end = (): void => undefined;
    world.bridge.answerCall(
      'files.search',
      () => new Promise((_, reject) => (end = () => reject(new Error('cancelled')))),
    );
    world.bridge.answerCall('files.cancel', () => ({}));
    await world.open('search');
    await fireEvent.input(screen.getByLabelText('Name'), { target: { value: 'x' } });
    await fireEvent.click(screen.getByRole('button', { name: 'Search' }));
    await waitFor(() => expect(world.bridge.askedFor('files.search')).toHaveLength(1));
    const { task } = world.bridge.askedFor('files.search')[0] as { task: string };
    world.bridge.push('notification', {
      name: 'files.progress',
      params: { task, files: { done: 1200, total: null }, bytes: { done: 0, total: null } },
    });
    expect(await screen.findByText('Searching… 1,200 files searched')).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: 'Stop' }));
    await waitFor(() => expect(world.bridge.askedFor('files.cancel')).toEqual([{ task }]));
    end();
  });
});

describe('a copy of files within the master', () => {
  it('cannot go to folders whose names are not valid UTF-8, even if their shown names are the same', async () => {
    const broken = anEntry('/templates/lobby/f\uFFFDr', { kind: 'folder' });
    world.remote['/templates/lobby']?.push(broken, broken);
    await world.open('/templates/lobby');
    const grid = await screen.findByRole('grid', REMOTE);
    await waitFor(() => expect(grid.textContent).toContain('eula.txt'));
    await fireEvent.click(rowOf(grid, 'eula.txt'));
    await chooseMore(1, 'Copy to…');
    const list = await within(await screen.findByRole('dialog')).findByRole('listbox');
    await waitFor(() => expect(within(list).getAllByRole('option')).toHaveLength(1));
    expect(list.textContent).toContain('plugins');
  });

  it('reads a folder that cannot be listed only once, and shows the reason', async () => {
    await world.open('/templates/lobby');
    const grid = await screen.findByRole('grid', REMOTE);
    await waitFor(() => expect(grid.textContent).toContain('eula.txt'));
    await fireEvent.click(rowOf(grid, 'eula.txt'));
    const before = world.bridge.askedFor('files.list').length;
    // A fault ends an endless loop of requests, so that the test fails instead of hanging.
    world.bridge.answer('files.list', () => {
      if (world.bridge.askedFor('files.list').length > before + 20) return [];
      throw new OverworldError('FILE_FORBIDDEN', { path: '/templates/lobby', why: 'your key is limited' });
    });
    await chooseMore(1, 'Copy to…');
    const dialog = await screen.findByRole('dialog', { name: 'Copy eula.txt' });
    expect((await within(dialog).findByRole('alert')).textContent).toContain('your key is limited');
    expect(world.bridge.askedFor('files.list')).toHaveLength(before + 1);
  });

  it('goes to a folder that the user chooses by keyboard', async () => {
    world.remote['/templates'] = [...(world.remote['/templates'] ?? [])];
    world.bridge.answerCall('files.copy', () => ({ files: 3, bytes: 3072, skipped: ['/x'] }));
    await world.open('/templates/lobby');
    const grid = await screen.findByRole('grid', REMOTE);
    await waitFor(() => expect(grid.textContent).toContain('eula.txt'));
    await fireEvent.click(rowOf(grid, 'eula.txt'));
    await chooseMore(1, 'Copy to…');
    const dialog = await screen.findByRole('dialog', { name: 'Copy eula.txt' });
    const list = await within(dialog).findByRole('listbox');
    await waitFor(() => expect(list.textContent).toContain('plugins'));
    await fireEvent.keyDown(list, { key: 'Enter' });
    await fireEvent.change(within(dialog).getByRole('combobox', { name: 'If a name already exists' }), {
      target: { value: 'rename' },
    });
    await fireEvent.click(await within(dialog).findByRole('button', { name: 'Copy to plugins' }));
    await waitFor(() =>
      expect(asked('files.copy')).toEqual([
        {
          paths: ['/templates/lobby/eula.txt'],
          folder: '/templates/lobby/plugins',
          onConflict: 'rename',
          task: 'some',
        },
      ]),
    );
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });
});

describe("the revisions of a template's files", () => {
  it('can be restored after the dialog has shown the changes', async () => {
    const revision = { at: AT, files: 3, bytes: 10, current: false };
    world.bridge
      .answerCall('templates.revisions', () => [
        { ...revision, revision: 'new00000', current: true },
        { ...revision, revision: 'old00000', at: AT - 60_000 },
      ])
      .answerCall('templates.compareRevisions', () => ({
        added: ['gone.yml'],
        removed: [],
        changed: ['motd.txt'],
      }))
      .answerCall('templates.restoreRevision', () => ({}));
    await world.open('/templates/lobby');
    await fireEvent.click(await screen.findByRole('button', { name: 'Revisions' }));
    const dialog = await screen.findByRole('dialog', { name: 'Revisions of lobby' });
    expect(await within(dialog).findByText('+ gone.yml')).toBeTruthy();
    expect(world.bridge.askedFor('templates.compareRevisions')).toEqual([
      { id: 'lobby', from: 'new00000', to: 'old00000' },
    ]);
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Restore…' }));
    expect(world.bridge.askedFor('templates.restoreRevision')).toEqual([]);
    await fireEvent.click(await screen.findByRole('button', { name: 'Restore revision' }));
    await waitFor(() =>
      expect(world.bridge.askedFor('templates.restoreRevision')).toEqual([
        { id: 'lobby', revision: 'old00000' },
      ]),
    );
  });
});

describe('the Files screen for a key that may list files but not read them', () => {
  beforeEach(() => {
    world.close();
    world = new FilesWorld({ role: 'viewer', readsFiles: false });
  });

  it('explains why a file cannot be opened', async () => {
    await world.open('/templates/lobby');
    await waitFor(() => expect(master.readsFiles).toBe(false));
    await fireEvent.dblClick(rowOf(await screen.findByRole('grid', REMOTE), 'eula.txt'));
    expect(toasts.list.at(-1)?.text).toContain('Your key has the role viewer');
    expect(world.bridge.askedFor('files.open')).toEqual([]);
  });

  it('can search for names, and explains why it cannot search in files', async () => {
    await world.open('/templates/lobby');
    await waitFor(() => expect(master.readsFiles).toBe(false));
    await fireEvent.keyDown(window, { key: 'F', ctrlKey: true, shiftKey: true });
    const start = await screen.findByRole<HTMLButtonElement>('button', { name: 'Search' });
    const text = screen.getByLabelText('Text inside');
    await fireEvent.input(text, { target: { value: '' } });
    expect(start.disabled).toBe(false);
    await fireEvent.input(text, { target: { value: 'password' } });
    expect(start.disabled).toBe(true);
    expect(await screen.findByText(/An owner can allow it/)).toBeTruthy();
  });
});
