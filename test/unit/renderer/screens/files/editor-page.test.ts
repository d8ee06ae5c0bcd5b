import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { editors, type OpenDocument } from '#renderer/stores/files/editors.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { OpenedFile, RequestParams } from '#shared/ipc/contract.ts';
import { AT } from '#test/support/app/models.ts';
import { FilesWorld } from './files-world.ts';

const FOLDER = '/templates/lobby';
let world: FilesWorld;
/** Texts of the files on the master, by path. */
let stored: Map<string, string>;

beforeEach(() => {
  for (const { path } of editors.list) editors.close(path);
  stored = new Map([
    [`${FOLDER}/a.txt`, 'a'],
    [`${FOLDER}/b.txt`, 'b'],
  ]);
  world = new FilesWorld();
  world.bridge.answer('files.open', ({ path }) => read(path)).answer('files.save', write);
});
afterEach(() => world.close());

function read(path: string): OpenedFile {
  const text = stored.get(path);
  if (text === undefined) throw new OverworldError('FILE_NOT_FOUND', { path });
  return { path, text, version: text, bytes: text.length, modifiedAt: AT, mode: 0o644 };
}

function write({ path, text, version }: RequestParams<'files.save'>): OpenedFile {
  if (version !== null) read(path);
  stored.set(path, text);
  return read(path);
}

/** Opens a.txt, and b.txt in a second tab that is not shown. */
async function open(): Promise<{ readonly a: OpenDocument; readonly b: OpenDocument }> {
  await world.open(`edit${FOLDER}/a.txt`);
  const [a, b] = [editors.open(`${FOLDER}/a.txt`), editors.open(`${FOLDER}/b.txt`)];
  await waitFor(() => expect([a.base?.text, b.base?.text]).toEqual(['a', 'b']));
  return { a, b };
}

const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));
const holdCtrlS = () => fireEvent.keyDown(window, { key: 's', ctrlKey: true, repeat: true });

/** Lets the answers of a request wait until the returned function is called. */
function hold(name: 'files.open' | 'files.save'): () => void {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  if (name === 'files.save') world.bridge.answer(name, (save) => held.then(() => write(save)));
  else
    world.bridge.answer(name, ({ path }) =>
      Promise.resolve(read(path)).then((file) => held.then(() => file)),
    );
  return release;
}

describe('a file that was deleted on the master', () => {
  it('is shown if it is saved in order to close its tab, because it was not saved', async () => {
    const { b } = await open();
    b.text = 'mine';
    stored.delete(`${FOLDER}/b.txt`);
    await press('Close b.txt');
    const dialog = within(await screen.findByRole('dialog', { name: 'b.txt is not saved' }));
    await fireEvent.click(dialog.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(route.address).toBe('files/edit/templates/lobby/b.txt'));
    const notice = await screen.findByText(/^b.txt no longer exists/);
    await waitFor(() => expect(notice.closest('[hidden]')).toBeNull());
    expect(stored.has(`${FOLDER}/b.txt`)).toBe(false);
  });

  it('is not created again while the person still holds down Ctrl+S', async () => {
    const { a } = await open();
    a.text = 'mine';
    stored.delete(`${FOLDER}/a.txt`);
    await fireEvent.keyDown(window, { key: 's', ctrlKey: true });
    await screen.findByRole('button', { name: 'Create it again' });
    await holdCtrlS();
    expect(world.bridge.askedFor('files.save')).toHaveLength(1);
  });
});

describe('"Try again" in the editor', () => {
  it('reads the file again if the reload has failed, and asks before it discards a later text', async () => {
    const { a } = await open();
    const file = read(`${FOLDER}/a.txt`);
    world.bridge.answer('files.open', () => {
      throw new OverworldError('CONNECTION_LOST', { address: '127.0.0.1:2022' });
    });
    await press('Reload from the master');
    await screen.findByText('It was not reloaded');
    world.bridge.answer('files.open', () => file);
    a.text = 'mine';
    await press('Try again');
    await fireEvent.click(await screen.findByRole('button', { name: 'Reload' }));
    await waitFor(() => expect(a.text).toBe('a'));
    expect(screen.queryByText('It was not reloaded')).toBeNull();
    expect(world.bridge.askedFor('files.save')).toEqual([]);
  });
});

describe('a file of the editor', () => {
  it('cannot be reloaded while it is saved', async () => {
    const { a } = await open();
    a.text = 'mine';
    const release = hold('files.save');
    await tick();
    await press('Save');
    const reload = screen.getByRole<HTMLButtonElement>('button', { name: 'Reload from the master' });
    await waitFor(() => expect(reload.disabled).toBe(true));
    await a.load();
    release();
    await waitFor(() => expect(a.dirty).toBe(false));
    expect(a.text).toBe('mine');
    expect(stored.get(`${FOLDER}/a.txt`)).toBe('mine');
  });

  it('cannot be saved while it is reloaded', async () => {
    const { a } = await open();
    a.text = 'mine';
    const release = hold('files.open');
    const loaded = a.load();
    const save = screen.getByRole<HTMLButtonElement>('button', { name: 'Save' });
    await waitFor(() => expect(save.disabled).toBe(true));
    expect(await a.save()).toBe(false);
    release();
    await loaded;
    expect(a.text).toBe('a');
    expect(stored.get(`${FOLDER}/a.txt`)).toBe('a');
  });
});
