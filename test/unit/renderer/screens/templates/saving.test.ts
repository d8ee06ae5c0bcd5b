import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { allUnsaved } from '#renderer/stores/documents/unsaved.svelte.ts';
import { toasts } from '#renderer/ui/overlay/toasts.svelte.ts';
import type { TemplateConfig } from '#shared/config/template.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aTemplate } from '#test/support/app/models.ts';
import { bridgeOver } from '../../support/window-world.ts';
import { openLobbyPage } from './lobby-page.ts';

let close: () => void;
let bridge: FakeBridge;
/** Lets the master answer the request that saves the template. */
let answer: (error?: Error) => void;

beforeEach(() => {
  const world = { templates: [aTemplate('lobby')] };
  const answered = new Promise<void>((resolve, reject) => {
    answer = (error) => (error === undefined ? resolve() : reject(error));
  });
  bridge = bridgeOver(world).answerCall('templates.update', async ({ id, config }) => {
    await answered;
    const saved = aTemplate(id, config as TemplateConfig, { configRevision: 'r2' });
    world.templates = [saved];
    return saved;
  });
  close = openLobbyPage(bridge);
});

afterEach(() => close());

const number = (name: string) => screen.findByRole<HTMLInputElement>('spinbutton', { name });
const type = async (name: string, value: string) =>
  fireEvent.input(await number(name), { target: { value } });

/** Sends the request that saves the template. The master does not answer the request yet. */
async function save(): Promise<void> {
  toasts.list.forEach(({ id }) => toasts.close(id));
  await fireEvent.click(await screen.findByRole('button', { name: 'Save changes' }));
  await waitFor(() => expect(bridge.askedFor('templates.update')).toHaveLength(1));
}

const untilSaved = () => waitFor(() => expect(toasts.list.at(-1)?.text).toContain('Saved 1 change'));

describe('the editor of a template during a save', () => {
  it('keeps what the user types as an unsaved change', async () => {
    await type('Priority', '2');
    await save();
    await type('Maximum players', '77');
    answer();
    await untilSaved();
    expect([(await number('Priority')).value, (await number('Maximum players')).value]).toEqual(['2', '77']);
    const bar = screen.getByRole('region', { name: 'Unsaved changes' });
    await waitFor(() => expect(bar.textContent).toContain('1 change'));
    expect(bar.textContent).not.toContain('while you were editing');
  });

  it('keeps a value that the user changes back to the previous value', async () => {
    const before = (await number('Priority')).value;
    await type('Priority', '2');
    await save();
    await type('Priority', before);
    answer();
    await untilSaved();
    expect((await number('Priority')).value).toBe(before);
    expect(screen.getByRole('region', { name: 'Unsaved changes' })).toBeTruthy();
  });

  it.each([
    new OverworldError('MASTER_UNREACHABLE', { address: '203.0.113.7:2022', why: 'the connection was lost' }),
    new OverworldError('CONFIG_CONFLICT', { document: 'Template lobby', basedOn: 'r1', current: 'r2' }),
  ])('shows a message if the save fails after the user has left the page: $code', async (error) => {
    await type('Priority', '2');
    await save();
    route.go('templates');
    await waitFor(() => expect(screen.queryByRole('spinbutton', { name: 'Priority' })).toBeNull());
    answer(error);
    await waitFor(() =>
      expect(toasts.list.at(-1)?.text).toBe(
        `Template lobby could not be saved, and its changes stay in the editor: ${error.message}`,
      ),
    );
  });

  it('leaves no unsaved changes if the save succeeds after the user has left the page', async () => {
    await type('Priority', '2');
    await save();
    route.go('templates');
    await waitFor(() => expect(screen.queryByRole('spinbutton', { name: 'Priority' })).toBeNull());
    expect(allUnsaved()).toEqual(['template lobby']);
    answer();
    await waitFor(() => expect(allUnsaved()).toEqual([]));
    expect(toasts.list.map(({ text }) => text).join()).not.toContain('could not be saved');
  });

  it('shows the saved values before the list of templates is read again', async () => {
    await type('Priority', '2');
    await save();
    const asked = bridge.askedFor('templates.list').length;
    bridge.answerCall('templates.list', () => new Promise(() => undefined));
    answer();
    await untilSaved();
    await waitFor(() => expect(bridge.askedFor('templates.list').length).toBeGreaterThan(asked));
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Unsaved changes' })).toBeNull());
    expect((await number('Priority')).value).toBe('2');
  });
});

describe('Ctrl+S in the editor of a template', () => {
  const pressSave = (key = 's') => fireEvent.keyDown(window, { key, code: 'KeyS', ctrlKey: true });
  const saved = () => bridge.askedFor('templates.update').length;

  it('saves on a keyboard layout without Latin letters', async () => {
    await type('Priority', '2');
    await pressSave('ы');
    await waitFor(() => expect(saved()).toBe(1));
  });

  it('saves in the review of the changes, but not behind another dialog', async () => {
    await type('Priority', '2');
    await fireEvent.click(await screen.findByRole('button', { name: 'More actions' }));
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete template' }));
    const question = await screen.findByRole('dialog', { name: /^Delete template/ });
    await pressSave();
    await fireEvent.click(within(question).getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(saved()).toBe(0);
    await fireEvent.click(screen.getByRole('button', { name: 'Review' }));
    await screen.findByRole('dialog');
    await pressSave();
    await waitFor(() => expect(saved()).toBe(1));
  });
});
