import { cleanup, createEvent, fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { route } from '#renderer/stores/app/route.svelte.ts';
import FilesScreen from '#renderer/screens/files/FilesScreen.svelte';
import { fileBrowser } from '#renderer/screens/files/open-file-browser.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toasts } from '#renderer/ui/overlay/toasts.svelte.ts';
import { anEntry } from '#test/support/app/models.ts';
import { chooseMore, FilesWorld, LOCAL, REMOTE, rowOf } from './files-world.ts';

let world: FilesWorld;

beforeEach(() => {
  world = new FilesWorld();
});
afterEach(() => world.close());

async function both(): Promise<{ local: HTMLElement; remote: HTMLElement }> {
  await world.open('/templates/lobby');
  const local = await screen.findByRole('grid', LOCAL);
  const remote = await screen.findByRole('grid', REMOTE);
  await waitFor(() => expect(local.textContent).toContain('motd.txt'));
  return { local, remote };
}

/** Returns a drag event's data as the browser provides it, including the dragged items. */
function aDrag(): { dataTransfer: object } {
  const types: string[] = [];
  return {
    dataTransfer: {
      types,
      files: [],
      setData: (type: string) => types.push(type),
      setDragImage: () => undefined,
      dropEffect: 'none',
      effectAllowed: 'all',
    },
  };
}

describe('the two file panes (for this computer and for the master)', () => {
  it('have separate paths, filters and status lines', async () => {
    const { local, remote } = await both();
    expect(remote.textContent).toContain('server.jar');
    await fireEvent.input(screen.getByRole('searchbox', { name: 'Filter: this computer' }), {
      target: { value: '*.jar' },
    });
    await waitFor(() => expect(local.textContent).not.toContain('motd.txt'));
    expect(local.textContent).toContain('paper.jar');
    expect(remote.textContent).toContain('eula.txt');
    expect(screen.getByText(/2 files and 1 folder, 2\.0 kB; 1 match the filter/)).toBeTruthy();
  });

  it('take the focus once after a request, and not each time that they are shown', async () => {
    fileBrowser().focusWhenShown('remote');
    await both();
    const master = screen.getByRole('region', { name: 'Master' });
    expect(document.activeElement).toBe(master);
    cleanup();
    render(FilesScreen);
    await screen.findByRole('grid', REMOTE);
    expect(document.activeElement).toBe(document.body);
  });

  it('transfer the selected files with a button and with a key', async () => {
    const { local, remote } = await both();
    await fireEvent.click(rowOf(local, 'motd.txt'));
    await fireEvent.click(rowOf(local, 'server'), { ctrlKey: true });
    await fireEvent.click(screen.getByRole('button', { name: /^Upload 2 selected to lobby/ }));
    await waitFor(() =>
      expect(world.bridge.askedFor('files.planUpload')).toEqual([
        { folder: '/templates/lobby', localPaths: ['/home/anna/server', '/home/anna/motd.txt'] },
      ]),
    );
    await fireEvent.click(rowOf(remote, 'server.jar'));
    await fireEvent.keyDown(remote, { key: 'Enter', ctrlKey: true });
    await waitFor(() =>
      expect(world.bridge.askedFor('files.planDownload')).toEqual([
        { paths: ['/templates/lobby/server.jar'], folder: '/home/anna' },
      ]),
    );
    await waitFor(() => expect(world.bridge.askedFor('transfers.start')).toHaveLength(2));
  });

  it('move the selection with the arrow keys, and keep rows that were marked with Space', async () => {
    const { local } = await both();
    const button = (name: RegExp): HTMLElement => screen.getByRole('button', { name });
    const isChosen = (name: string): boolean => rowOf(local, name).getAttribute('aria-selected') === 'true';
    await fireEvent.click(rowOf(local, 'server'));
    await fireEvent.keyDown(local, { key: 'ArrowDown' });
    expect([isChosen('server'), isChosen('motd.txt')]).toEqual([false, true]);
    await fireEvent.keyDown(local, { key: 'p' });
    expect([isChosen('motd.txt'), isChosen('paper.jar')]).toEqual([false, true]);

    await fireEvent.keyDown(local, { key: ' ' });
    await fireEvent.keyDown(local, { key: ' ' });
    await fireEvent.keyDown(local, { key: 'Home' });
    expect([isChosen('server'), isChosen('paper.jar')]).toEqual([false, true]);
    await fireEvent.keyDown(local, { key: ' ' });
    expect(button(/^Upload 2 selected to lobby/)).toBeTruthy();
    await fireEvent.keyDown(local, { key: 'ArrowDown' });
    expect(button(/^Upload 2 selected to lobby/)).toBeTruthy();
  });

  it('react to keys after the mouse has marked a row', async () => {
    const { local } = await both();
    await fireEvent.click(within(rowOf(local, 'server')).getByRole('checkbox'));
    expect(document.activeElement).toBe(local);
    await fireEvent.keyDown(local, { key: 'x', ctrlKey: true });
    expect(rowOf(local, 'server').dataset['cut']).toBe('true');
  });

  it('accept files that are dragged from the other pane to the list, a folder or the path', async () => {
    const { local, remote } = await both();
    const drag = aDrag();
    await fireEvent.dragStart(rowOf(local, 'paper.jar'), drag);
    await fireEvent.dragOver(rowOf(remote, 'plugins'), drag);
    expect(screen.getByText(/Drop to upload into/).textContent).toContain('plugins');
    await fireEvent.drop(rowOf(remote, 'plugins'), drag);
    await waitFor(() =>
      expect(world.bridge.askedFor('files.planUpload')).toEqual([
        { folder: '/templates/lobby/plugins', localPaths: ['/home/anna/paper.jar'] },
      ]),
    );
    const back = aDrag();
    await fireEvent.dragStart(rowOf(remote, 'eula.txt'), back);
    const way = screen.getByRole('navigation', { name: 'Path: This computer' });
    await fireEvent.drop(within(way).getByRole('button', { name: 'Home' }), back);
    await waitFor(() =>
      expect(world.bridge.askedFor('files.planDownload')).toEqual([
        { paths: ['/templates/lobby/eula.txt'], folder: '/home/anna' },
      ]),
    );
  });

  it('can move dragged files within the master', async () => {
    const { remote } = await both();
    const drag = aDrag();
    await fireEvent.dragStart(rowOf(remote, 'eula.txt'), drag);
    await fireEvent.drop(rowOf(remote, 'plugins'), drag);
    await waitFor(() =>
      expect(world.bridge.askedFor('files.move')).toEqual([
        { paths: ['/templates/lobby/eula.txt'], folder: '/templates/lobby/plugins' },
      ]),
    );
    // A folder cannot be moved into itself, or into the folder that already contains it.
    const self = aDrag();
    await fireEvent.dragStart(rowOf(remote, 'plugins'), self);
    await fireEvent.drop(rowOf(remote, 'plugins'), self);
    await fireEvent.drop(remote, self);
    expect(world.bridge.askedFor('files.move')).toHaveLength(1);
  });

  it('let the user drag files out of the window while Alt is pressed', async () => {
    const { remote } = await both();
    world.bridge.answer('files.dragOut', () => ({}));
    const event = createEvent.dragStart(rowOf(remote, 'server.jar'), aDrag());
    // jsdom's drag events have no modifier keys.
    Object.defineProperty(event, 'altKey', { value: true });
    await fireEvent(rowOf(remote, 'server.jar'), event);
    expect(event.defaultPrevented, 'the page drags nothing itself').toBe(true);
    expect(world.bridge.askedFor('files.dragOut')).toEqual([{ paths: ['/templates/lobby/server.jar'] }]);
  });

  it('can cut and paste files by keyboard within a pane', async () => {
    const { remote } = await both();
    await fireEvent.click(rowOf(remote, 'eula.txt'));
    await fireEvent.keyDown(remote, { key: 'x', ctrlKey: true });
    const said = (): boolean => toasts.list.some(({ text }) => text.startsWith('Cut eula.txt. Ctrl+V'));
    expect(said()).toBe(true);
    route.go('files', 'templates', 'lobby', 'plugins');
    await screen.findByText('This folder is empty');
    await fireEvent.keyDown(screen.getByRole('grid', REMOTE), { key: 'v', ctrlKey: true });
    await waitFor(() =>
      expect(world.bridge.askedFor('files.move')).toEqual([
        { paths: ['/templates/lobby/eula.txt'], folder: '/templates/lobby/plugins' },
      ]),
    );
    expect(said(), 'it would lie over the queue').toBe(false);
  });

  it.each(['Cut', 'Copy'])(
    'take the file whose menu is open, not the selected file, for %s',
    async (item) => {
      const { remote } = await both();
      await fireEvent.click(rowOf(remote, 'eula.txt'));
      await fireEvent.contextMenu(rowOf(remote, 'server.jar'));
      const menu = within(await screen.findByRole('menu'));
      await fireEvent.click(menu.getByRole('menuitem', { name: new RegExp(`^${item}\\s*Ctrl`) }));
      expect(fileBrowser().clipboard?.entries.map(({ name }) => name)).toEqual(['server.jar']);
    },
  );

  it('copy files within this computer, with progress and a cancel button', async () => {
    let end: (error: Error) => void = () => undefined;
    world.bridge.answer('local.copy', () => new Promise((_, reject) => (end = reject)));
    const { local } = await both();
    await fireEvent.click(rowOf(local, 'motd.txt'));
    await fireEvent.keyDown(local, { key: 'c', ctrlKey: true });
    await fireEvent.keyDown(local, { key: 'v', ctrlKey: true });
    await waitFor(() =>
      expect(world.bridge.askedFor('local.copy')).toMatchObject([
        { paths: ['/home/anna/motd.txt'], folder: '/home/anna' },
      ]),
    );
    const under = await screen.findByRole('list', { name: 'Running' }, { timeout: 3000 });
    const [{ task }] = world.bridge.askedFor('local.copy') as [{ task: string }];
    world.bridge.push('notification', {
      name: 'files.progress',
      params: { task, files: { done: 3, total: 12 }, bytes: { done: 1024, total: 4096 } },
    });
    await waitFor(() => expect(under.textContent).toContain('3 of 12 files · 1.0 kB of 4.0 kB'));
    expect(within(under).getByRole('progressbar').getAttribute('aria-valuenow')).toBe('25');
    world.bridge.answerCall('files.cancel', () => ({}));
    await fireEvent.click(within(under).getByRole('button', { name: /^Cancel: Copying motd\.txt/ }));
    expect(world.bridge.askedFor('files.cancel')).toEqual([{ task }]);
    end(new OverworldError('TASK_CANCELLED', { task: 'The copy' }));
    await waitFor(() => expect(screen.queryByRole('list', { name: 'Running' })).toBeNull());
    await waitFor(() => expect(toasts.list.at(-1)?.text).toContain('Stopped copying motd.txt'));
    expect(toasts.unseen, 'nothing has failed').toBe(0);
  });

  it('move cut files to the master without confirmation, because the originals go to the local trash', async () => {
    const { local, remote } = await both();
    await fireEvent.click(rowOf(local, 'motd.txt'));
    await fireEvent.keyDown(local, { key: 'x', ctrlKey: true });
    await fireEvent.keyDown(remote, { key: 'v', ctrlKey: true });
    await waitFor(() =>
      expect(world.bridge.askedFor('files.planUpload')).toEqual([
        { folder: '/templates/lobby', localPaths: ['/home/anna/motd.txt'], move: true },
      ]),
    );
    await waitFor(() => expect(world.bridge.askedFor('transfers.start')).toHaveLength(1));
    await fireEvent.keyDown(remote, { key: 'v', ctrlKey: true });
    expect(world.bridge.askedFor('files.planUpload'), 'a cut entry is pasted once').toHaveLength(1);
  });

  it('move files from the master only after a warning about the deletion', async () => {
    const { remote } = await both();
    await fireEvent.click(rowOf(remote, 'server.jar'));
    await fireEvent.keyDown(remote, { key: 'Enter', ctrlKey: true, shiftKey: true });
    const dialog = await screen.findByRole('dialog', { name: 'Move server.jar to this computer' });
    expect(dialog.textContent).toContain('only then deleted on the master');
    expect(dialog.textContent).toContain('2 services of template lobby run now');
    expect(dialog.textContent).toContain('Without server.jar, no service of lobby can start');
    expect(world.bridge.askedFor('files.planDownload')).toEqual([]);
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Move' }));
    await waitFor(() =>
      expect(world.bridge.askedFor('files.planDownload')).toEqual([
        { paths: ['/templates/lobby/server.jar'], folder: '/home/anna', move: true },
      ]),
    );
  });

  it('move files that are dragged with Shift, except folders of templates', async () => {
    const { local, remote } = await both();
    const drag = aDrag();
    await fireEvent.dragStart(rowOf(local, 'paper.jar'), drag);
    await fireEvent.dragOver(rowOf(remote, 'plugins'), drag);
    expect(screen.getByText(/Drop to upload into/).textContent).toContain('hold Shift to move');
    const over = createEvent.dragOver(rowOf(remote, 'plugins'), drag);
    // jsdom's drag events have no modifier keys.
    Object.defineProperty(over, 'shiftKey', { value: true });
    await fireEvent(rowOf(remote, 'plugins'), over);
    expect(screen.getByText(/Drop to move into/).textContent).toContain('plugins');
    const drop = createEvent.drop(rowOf(remote, 'plugins'), drag);
    Object.defineProperty(drop, 'shiftKey', { value: true });
    await fireEvent(rowOf(remote, 'plugins'), drop);
    await waitFor(() =>
      expect(world.bridge.askedFor('files.planUpload')).toEqual([
        { folder: '/templates/lobby/plugins', localPaths: ['/home/anna/paper.jar'], move: true },
      ]),
    );
    route.go('files', 'templates');
    await waitFor(() => expect(screen.getByRole('grid', REMOTE).textContent).toContain('lobby'));
    const templates = screen.getByRole('grid', REMOTE);
    await fireEvent.click(rowOf(templates, 'lobby'));
    await fireEvent.keyDown(templates, { key: 'Enter', ctrlKey: true, shiftKey: true });
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('are shown one at a time in a narrow window, with a switch', async () => {
    world.close();
    world = new FilesWorld({ width: 1000 });
    await world.open('/templates/lobby');
    await screen.findByRole('grid', REMOTE);
    expect(screen.queryByRole('grid', LOCAL)).toBeNull();
    await fireEvent.click(screen.getByRole('radio', { name: 'This computer' }));
    expect(await screen.findByRole('grid', LOCAL)).toBeTruthy();
    expect(screen.queryByRole('grid', REMOTE)).toBeNull();
    await fireEvent.click(screen.getByRole('button', { name: 'Hide this computer’s side' }));
    expect(await screen.findByRole('grid', REMOTE)).toBeTruthy();
  });

  it('are separated by a line that the user can move by keyboard', async () => {
    await both();
    const line = screen.getByRole('separator', { name: 'Width of this computer’s side' });
    const before = Number(line.getAttribute('aria-valuenow'));
    await fireEvent.keyDown(line, { key: 'ArrowRight' });
    expect(Number(line.getAttribute('aria-valuenow'))).toBe(before + 2);
    expect(JSON.stringify(world.bridge.askedFor('app.remember').at(-1))).toContain('split');
  });

  it('offer no actions for files whose names are not UTF-8', async () => {
    world.remote['/templates/lobby'] = [
      anEntry('/templates/lobby/latest', { kind: 'link' }),
      anEntry('/templates/lobby/b\uFFFDd.txt'),
    ];
    const { remote } = await both();
    expect(rowOf(remote, 'latest').textContent).toContain('link');
    await fireEvent.click(rowOf(remote, 'b\uFFFDd.txt'));
    await fireEvent.keyDown(remote, { key: 'Delete' });
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(rowOf(remote, 'b\uFFFDd.txt').textContent).toContain('name is not UTF-8');
  });

  it('move deleted files of this computer to its trash', async () => {
    const { local } = await both();
    await fireEvent.click(rowOf(local, 'motd.txt'));
    await fireEvent.keyDown(local, { key: 'Delete' });
    const dialog = await screen.findByRole('dialog', { name: 'Move motd.txt to the trash' });
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Move to trash' }));
    await waitFor(() =>
      expect(world.bridge.askedFor('local.trash')).toEqual([{ paths: ['/home/anna/motd.txt'] }]),
    );
    expect(world.bridge.askedFor('files.delete')).toEqual([]);
  });

  it('delete only those of the selected files that the filter shows', async () => {
    world.remote['/templates/lobby'] = ['a.yml', 'b.log', 'c.log'].map((name) =>
      anEntry(`/templates/lobby/${name}`),
    );
    const { remote } = await both();
    await fireEvent.keyDown(remote, { key: 'a', ctrlKey: true });
    const filter = screen.getByRole('searchbox', { name: 'Filter: master' });
    await fireEvent.input(filter, { target: { value: '*.yml' } });
    await waitFor(() => expect(remote.textContent).not.toContain('b.log'));
    await fireEvent.keyDown(filter, { key: 'Enter' });
    await fireEvent.keyDown(remote, { key: 'Delete' });
    const dialog = await screen.findByRole('dialog', { name: 'Delete a.yml' });
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Delete' }));
    await waitFor(() =>
      expect(world.bridge.askedFor('files.delete')).toMatchObject([{ paths: ['/templates/lobby/a.yml'] }]),
    );
  });

  it('change permissions with checkboxes or with a number', async () => {
    const { remote } = await both();
    await fireEvent.click(rowOf(remote, 'eula.txt'));
    await chooseMore(1, 'Permissions…');
    const dialog = await screen.findByRole('dialog', { name: 'Permissions of eula.txt' });
    await fireEvent.click(within(dialog).getByRole('checkbox', { name: 'Others: read' }));
    const octal = within(dialog).getByRole<HTMLInputElement>('textbox', { name: 'As a number' });
    expect(octal.value).toBe('640');
    await fireEvent.input(octal, { target: { value: '9' } });
    expect(within(dialog).getByRole('alert').textContent).toContain('Three digits');
    await fireEvent.input(octal, { target: { value: '600' } });
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Set permissions' }));
    await waitFor(() =>
      expect(world.bridge.askedFor('files.setMode')).toMatchObject([
        { paths: ['/templates/lobby/eula.txt'], mode: 0o600, within: false },
      ]),
    );
  });

  it('list the outdated services of a template, and can start a rolling restart', async () => {
    await both();
    world.bridge.answerCall('templates.restart', () => ({ services: ['lobby-2'] }));
    expect(await screen.findByText(/1 of 2 services still runs from older files or values/)).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: 'Rolling restart…' }));
    await fireEvent.click(await screen.findByRole('button', { name: 'Start rolling restart' }));
    await waitFor(() =>
      expect(world.bridge.askedFor('templates.restart')).toEqual([{ id: 'lobby', which: 'outdated' }]),
    );
  });
});
