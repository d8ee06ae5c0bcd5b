import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import FilesScreen from '#renderer/screens/files/FilesScreen.svelte';
import { route } from '#renderer/stores/app/route.svelte.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aTransfer, anEntry } from '#test/support/app/models.ts';
import { aPlan, chooseMore, FilesWorld, LOCAL, REMOTE, rowOf, type Folders } from './files-world.ts';

let world: FilesWorld;
let bridge: FakeBridge;
let folders: Folders;

/** Opens the screen at a folder of the master. */
async function open(path: string): Promise<HTMLElement> {
  await world.open(path);
  return screen.findByRole('grid', REMOTE);
}

beforeEach(() => {
  world = new FilesWorld();
  ({ bridge, remote: folders } = world);
});

afterEach(() => world.close());

const row = (name: string): HTMLElement => rowOf(screen.getByRole('grid', REMOTE), name);
const press = async (key: string) => fireEvent.keyDown(screen.getByRole('grid', REMOTE), { key });
const dropped = (names: readonly string[]) => ({
  dataTransfer: { types: ['Files'], files: names.map((name) => new File(['x'], name)), dropEffect: 'none' },
});

describe("the browser of the master's files", () => {
  it('lists folders first, and lists hidden files only on request', async () => {
    const grid = await open('/templates/lobby');
    const names = () =>
      within(grid)
        .getAllByRole('row')
        .slice(1)
        .map((r) => r.querySelector('.text')?.textContent);
    expect(names()).toEqual(['plugins', 'eula.txt', 'server.jar']);
    await fireEvent.click(screen.getByRole('button', { name: /Show hidden files \(1\)/ }));
    expect(names()).toEqual(['.git', 'plugins', 'eula.txt', 'server.jar']);
  });

  it('can open and leave folders by keyboard', async () => {
    await open('/templates/lobby');
    await press('p');
    await press('Enter');
    expect(await screen.findByText('This folder is empty')).toBeTruthy();
    expect(route.parts).toEqual(['files', 'templates', 'lobby', 'plugins']);
    await press('Backspace');
    expect(route.parts).toEqual(['files', 'templates', 'lobby']);
    await screen.findByText('eula.txt');
  });

  it('can rename an entry in the list', async () => {
    await open('/templates/lobby');
    await fireEvent.click(row('eula.txt'));
    await press('F2');
    const input = await screen.findByRole('textbox', { name: 'New name of eula.txt' });
    await fireEvent.input(input, { target: { value: 'server.jar' } });
    expect(screen.getByRole('alert').textContent).toContain('already exists');
    await fireEvent.input(input, { target: { value: 'EULA.txt' } });
    await fireEvent.keyDown(input, { key: 'Enter' });
    await waitFor(() =>
      expect(bridge.askedFor('files.rename')).toEqual([
        { from: '/templates/lobby/eula.txt', to: '/templates/lobby/EULA.txt' },
      ]),
    );
  });

  it('keeps the name that the user is typing when the folder is read again', async () => {
    await open('/templates/lobby');
    await fireEvent.click(row('eula.txt'));
    await press('F2');
    const name = { name: 'New name of eula.txt' };
    const input = await screen.findByRole<HTMLInputElement>('textbox', name);
    await fireEvent.input(input, { target: { value: 'hel' } });
    const bytes = 4711;
    folders['/templates/lobby'] = (folders['/templates/lobby'] ?? []).map((entry) => ({ ...entry, bytes }));
    await fireEvent.click(
      within(screen.getByRole('region', { name: 'Master' })).getByRole('button', { name: 'Reload (F5)' }),
    );
    await waitFor(() => expect(row('server.jar').textContent).toContain('4.6 kB'));
    expect(screen.getByRole<HTMLInputElement>('textbox', name).value).toBe('hel');
  });

  it('deletes files only after a confirmation, which names the services that use them', async () => {
    await open('/templates/lobby');
    await fireEvent.click(row('server.jar'));
    await press('Delete');
    const dialog = await screen.findByRole('dialog', { name: 'Delete server.jar' });
    await waitFor(() => expect(dialog.textContent).toContain('2 services of template lobby run now'));
    expect(bridge.askedFor('files.delete')).toEqual([]);
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Delete' }));
    await waitFor(() =>
      expect(bridge.askedFor('files.delete')).toMatchObject([{ paths: ['/templates/lobby/server.jar'] }]),
    );
  });

  it('can neither rename nor delete the folder of a template', async () => {
    await open('/templates');
    await fireEvent.click(row('lobby'));
    await press('Delete');
    await press('F2');
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.queryByRole('textbox', { name: /New name/ })).toBeNull();
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Upload' }).disabled).toBe(true);
  });

  it('shows buttons for the selected entries only if entries are selected', async () => {
    await open('/templates/lobby');
    const tools = within(screen.getByRole('group', { name: 'Actions on the master' }));
    const words = () => tools.getAllByRole('button').flatMap((button) => button.textContent.trim() || []);
    expect(words()).toEqual(['Upload', 'New folder']);
    await fireEvent.click(row('server.jar'));
    expect(words()).toEqual(['Upload', 'New folder', 'Download', 'Delete', 'More']);
    await chooseMore(1, 'Permissions…');
    await screen.findByRole('dialog', { name: 'Permissions of server.jar' });
  });

  it('explains in an empty template folder which files the template needs', async () => {
    folders['/templates/lobby'] = [];
    await open('/templates/lobby');
    expect(await screen.findByText(/Drop server\.jar here: .* services of lobby run/)).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Upload folder' })).toBeTruthy();
  });

  it('uploads dropped files into the shown folder or the folder under the pointer', async () => {
    const grid = await open('/templates/lobby');
    bridge.answer('files.planDrop', () => aPlan('p7'));
    await fireEvent.dragOver(row('plugins'), dropped(['a.jar']));
    expect(screen.getByText(/Drop to upload into/).textContent).toContain('plugins');
    await fireEvent.drop(row('plugins'), dropped(['a.jar']));
    await fireEvent.drop(grid, dropped(['b.jar']));
    expect(bridge.dropped).toEqual([
      { folder: '/templates/lobby/plugins', names: ['a.jar'] },
      { folder: '/templates/lobby', names: ['b.jar'] },
    ]);
    await waitFor(() => expect(bridge.askedFor('transfers.start')).toHaveLength(2));
  });

  it('reads the folder again after an upload into it', async () => {
    await open('/templates/lobby');
    const before = bridge.askedFor('files.list').length;
    bridge.push('transfers', [aTransfer('t1', { state: 'done', remotePath: '/templates/lobby/new.jar' })]);
    await waitFor(() => expect(bridge.askedFor('files.list').length).toBeGreaterThan(before));
    expect(screen.getByRole('region', { name: 'Transfers' }).textContent).toContain('1 done');
  });

  it('offers the practice server if server.jar is missing', async () => {
    folders['/templates/lobby'] = [];
    await open('/templates/lobby');
    expect(screen.getByText(/it is not a real Minecraft server/)).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: 'Upload practice server' }));
    await waitFor(() =>
      expect(bridge.askedFor('transfers.start')).toEqual([{ plan: 'p1', onConflict: 'skip', each: {} }]),
    );
    expect(bridge.askedFor('files.planPracticeServer')).toEqual([{ folder: '/templates/lobby' }]);
  });

  it('offers the practice proxy for a proxy template', async () => {
    folders['/templates/arena'] = [];
    await open('/templates/arena');
    expect(screen.getByText(/does not\s+replace BungeeCord or Velocity/)).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: 'Upload practice proxy' }));
    await waitFor(() =>
      expect(bridge.askedFor('files.planPracticeProxy')).toEqual([{ folder: '/templates/arena' }]),
    );
  });

  it('offers to rename a jar file to server.jar', async () => {
    folders['/templates/lobby'] = [anEntry('/templates/lobby/paper-1.21.jar')];
    await open('/templates/lobby');
    await fireEvent.click(screen.getByRole('button', { name: 'Rename paper-1.21.jar to server.jar' }));
    await waitFor(() =>
      expect(bridge.askedFor('files.rename')).toEqual([
        { from: '/templates/lobby/paper-1.21.jar', to: '/templates/lobby/server.jar' },
      ]),
    );
  });

  it('offers the parent folder if the folder no longer exists', async () => {
    folders['/templates/gone'] = [];
    await open('/templates/gone');
    delete folders['/templates/gone'];
    await fireEvent.keyDown(window, { key: 'F5' });
    expect((await screen.findByRole('alert')).textContent).toContain('/templates/gone does not exist');
    await fireEvent.click(screen.getByRole('button', { name: 'Up one folder' }));
    expect(route.parts).toEqual(['files', 'templates']);
  });
});

describe('the file browser when the user returns to it', () => {
  it('shows files that appeared in the folder in the meantime', async () => {
    await open('/templates/lobby');
    await screen.findByText('eula.txt');
    cleanup();
    folders['/templates/lobby'] = [anEntry('/templates/lobby/new.yml')];
    render(FilesScreen);
    expect(await screen.findByText('new.yml')).toBeTruthy();
  });

  it('loads both folders even if they were still loading when the user left', async () => {
    bridge.answer('files.list', () => new Promise(() => undefined));
    bridge.answer('local.list', () => new Promise(() => undefined));
    await world.open('/templates/lobby');
    await waitFor(() => expect(bridge.askedFor('local.list')).toHaveLength(1));
    expect(screen.getAllByRole('status', { name: 'Loading folder' })).toHaveLength(2);
    cleanup();
    bridge.answer('files.list', () => [anEntry('/templates/lobby/eula.txt')]);
    const entries = [anEntry('/home/anna/motd.txt')];
    bridge.answer('local.list', ({ folder }) => ({ folder, parent: null, entries }));
    render(FilesScreen);
    expect((await screen.findByRole('grid', REMOTE)).textContent).toContain('eula.txt');
    expect((await screen.findByRole('grid', LOCAL)).textContent).toContain('motd.txt');
  });
});
