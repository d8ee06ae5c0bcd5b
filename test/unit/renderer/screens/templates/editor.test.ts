import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import TemplatesScreen from '#renderer/screens/templates/TemplatesScreen.svelte';
import { templateDrafts } from '#renderer/stores/documents/drafts.svelte.ts';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { templateConfigSchema, type TemplateConfig } from '#shared/config/template.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Template } from '#shared/model/template.ts';
import { toasts } from '#renderer/ui/overlay/toasts.svelte.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { anEvent, aService, aTemplate } from '#test/support/app/models.ts';
import { connectStores } from '../../support/open-screen.ts';
import { pretendLayout } from '../../support/pretend-layout.ts';
import { bridgeOver, type WindowWorld } from '../../support/window-world.ts';

/** Number of settings of a template. */
const SETTINGS = Object.keys(templateConfigSchema.shape).length;

let stops: (() => void)[] = [];
let bridge: FakeBridge;
let world: WindowWorld;

/** Opens the screen at a place below Templates, in a network with one template. */
function open(of: { template?: Template; at: readonly string[]; services?: WindowWorld['services'] }): void {
  world = { templates: [of.template ?? aTemplate('lobby')], services: of.services ?? [] };
  bridge = bridgeOver(world);
  bridge.answerCall('templates.update', ({ id, config }) => {
    const saved = aTemplate(id, config as TemplateConfig, { configRevision: 'r2' });
    world.templates = [saved];
    return saved;
  });
  stops.push(connectStores(bridge));
  route.go('templates', ...of.at);
  render(TemplatesScreen);
}

beforeEach(() => {
  stops = [pretendLayout({ width: 1200, height: 800 })];
});

afterEach(() => {
  for (const stop of stops.reverse()) stop();
  templateDrafts.forget('lobby');
});

const number = (name: string) => screen.findByRole<HTMLInputElement>('spinbutton', { name });
const unlimited = (name: string) => screen.findByRole('switch', { name });
const type = async (name: string, value: string) =>
  fireEvent.input(await number(name), { target: { value } });
const save = async () => fireEvent.click(await screen.findByRole('button', { name: 'Save changes' }));

describe('the editor of a template', () => {
  it('shows each setting of the schema, and when a change of the setting takes effect', async () => {
    open({ at: ['lobby'] });
    await number('Maximum players');
    const fields = [...document.querySelectorAll<HTMLElement>('[data-field]')];
    expect(fields.map(({ dataset }) => dataset['field']).toSorted()).toEqual(
      Object.keys(templateConfigSchema.shape).toSorted(),
    );
    for (const name of [
      'Minimum running services',
      'Maximum online services',
      'Priority',
      'Stop unused services after',
    ]) {
      expect(screen.getByRole('spinbutton', { name })).toBeTruthy();
    }
    expect(screen.getByRole('switch', { name: 'Proxy' })).toBeTruthy();
    expect(screen.getByRole('switch', { name: 'Fallback' })).toBeTruthy();
    expect(screen.getByRole('textbox', { name: 'Join permission' })).toBeTruthy();
    expect(screen.getByRole('group', { name: 'Default service files' })).toBeTruthy();
    expect(screen.getAllByText('Applies at next service start')).toHaveLength(8);
    expect((await unlimited('Maximum online services: No limit')).getAttribute('aria-checked')).toBe('true');
    expect((await number('Stop unused services after')).value).toBe('2 min');
  });

  it('saves changes after a summary that also shows their effect on services', async () => {
    open({ at: ['lobby'], services: [aService('lobby', 1)] });
    await type('Maximum players', '60');
    await type('Priority', '2');
    const bar = await screen.findByRole('region', { name: 'Unsaved changes' });
    expect(bar.textContent).toContain('2 changes: 1 immediately, 1 at the next service start');
    await waitFor(() =>
      expect(bar.textContent).toContain('1 service keeps the old values until it starts again.'),
    );
    await save();
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Unsaved changes' })).toBeNull());
    expect(bridge.askedFor('templates.update')).toEqual([
      {
        id: 'lobby',
        basedOn: 'r1',
        config: { ...templateConfigSchema.parse({}), name: 'lobby', maxPlayers: 60, priority: 2 },
      },
    ]);
  });

  it('edits a duration with units, and keeps its milliseconds', async () => {
    open({ at: ['lobby'] });
    const field = await number('Stop unused services after');
    expect(field.getAttribute('aria-valuetext')).toBe('2 minutes');
    await type('Stop unused services after', '1 h 30 min');
    expect(field.value).toBe('1 h 30 min');
    await fireEvent.blur(field);
    await type('Stop unused services after', '90s');
    await fireEvent.blur(field);
    expect(field.value).toBe('1 min 30 s');
    await fireEvent.keyDown(field, { key: 'ArrowUp' });
    expect(field.value).toBe('1 min 31 s');
    await save();
    await waitFor(() =>
      expect(bridge.askedFor('templates.update')).toMatchObject([
        { config: { killUnusedTooManyServersAfter: 91_000 } },
      ]),
    );
  });

  it('shows an error if the input for a duration cannot be read', async () => {
    open({ at: ['lobby'] });
    const field = await number('Stop unused services after');
    await type('Stop unused services after', 'soon');
    await fireEvent.blur(field);
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(field.closest('[data-field]')?.textContent).toContain(
      'Is not a duration. Allowed: at most 30 days, such as 90 s, 2 min or 1 h 30 min.',
    );
  });

  it('has a switch that turns a limit off, and restores the last limit when it is turned on again', async () => {
    open({ at: ['lobby'] });
    const never = await unlimited('Stop unused services after: Never');
    const field = await number('Stop unused services after');
    await type('Stop unused services after', '5 min');
    await fireEvent.blur(field);
    await fireEvent.click(never);
    expect([field.disabled, field.value]).toEqual([true, '']);
    await fireEvent.click(never);
    await waitFor(() => expect(document.activeElement).toBe(field));
    expect(field.value).toBe('5 min');
    await fireEvent.click(never);
    await save();
    await waitFor(() =>
      expect(bridge.askedFor('templates.update')).toMatchObject([
        { config: { killUnusedTooManyServersAfter: -1 } },
      ]),
    );
  });

  it('shows a warning about an unusual value, but can save the value', async () => {
    open({ at: ['lobby'] });
    await fireEvent.click(await unlimited('Maximum online services: No limit'));
    await type('Maximum online services', '3');
    await type('Minimum running services', '5');
    const warning = await screen.findByText(/^minimumRunningServers is 5, but maximumOnlineServers is 3/);
    expect(warning.closest('[data-field]')?.getAttribute('data-field')).toBe('minimumRunningServers');
    await save();
    await waitFor(() => expect(bridge.askedFor('templates.update')).toHaveLength(1));
    await type('Minimum running services', '3');
    await waitFor(() => expect(screen.queryByText(/the minimum cannot be reached/)).toBeNull());
  });

  it('shows a mistake when the user leaves the field, and does not save invalid values', async () => {
    open({ at: ['lobby'] });
    await type('Minimum JVM memory', '4096');
    expect(screen.queryByText('Must not be larger than maxJvmMemory (1024).')).toBeNull();
    await fireEvent.blur(await number('Minimum JVM memory'));
    expect(await screen.findByText('Must not be larger than maxJvmMemory (1024).')).toBeTruthy();
    await save();
    expect(bridge.askedFor('templates.update')).toEqual([]);
    await type('Maximum JVM memory', '8192');
    expect(screen.queryByText(/Must not be larger/)).toBeNull();
    expect(screen.getByText(/One service uses 8.4 GB of RAM/)).toBeTruthy();
  });

  it('can reset a setting to its default', async () => {
    open({ at: ['lobby'], template: aTemplate('lobby', { maxPlayers: 50 }) });
    await waitFor(async () => expect((await number('Maximum players')).value).toBe('50'));
    await fireEvent.click(screen.getByRole('button', { name: /^Reset Maximum players/ }));
    expect((await number('Maximum players')).value).toBe('1');
  });

  it('shows old and new values before it saves', async () => {
    open({ at: ['lobby'] });
    await type('Maximum JVM memory', '2048');
    await fireEvent.click(await screen.findByRole('button', { name: 'Review' }));
    const dialog = await screen.findByRole('dialog', { name: 'Review changes' });
    expect(within(dialog).getByText('1024 MB (1 GB)')).toBeTruthy();
    expect(within(dialog).getByText('2048 MB (2 GB)')).toBeTruthy();
  });

  it("shows changes that another person has saved, and applies the user's changes to them", async () => {
    open({ at: ['lobby'] });
    await type('Maximum players', '60');
    const theirs = aTemplate('lobby', { maxPlayers: 80, priority: 7 }, { configRevision: 'r9' });
    const saveLater = bridge.answerCall('templates.update', () => {
      world.templates = [theirs];
      throw new OverworldError('CONFIG_CONFLICT', {
        document: 'Template lobby',
        basedOn: 'r1',
        current: 'r9',
      });
    });
    await save();
    const dialog = await screen.findByRole('dialog', { name: 'Changed by someone else' });
    const use = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Use these values' });
    expect(use.disabled).toBe(true);
    expect(within(dialog).getByText('1 field to choose')).toBeTruthy();
    const choice = (name: string) => within(dialog).getByRole<HTMLInputElement>('radio', { name });
    expect(choice('Priority: Theirs (saved): 7').checked).toBe(true);
    expect(choice('Maximum players: Before both changes: 1 player').checked).toBe(false);
    expect(choice('Maximum players: Theirs (saved): 80 players').checked).toBe(false);
    await fireEvent.click(choice('Maximum players: Yours: 60 players'));
    await fireEvent.click(use);
    saveLater.answerCall('templates.update', ({ id, config }) =>
      aTemplate(id, config as TemplateConfig, { configRevision: 'r10' }),
    );
    await save();
    await waitFor(() => expect(bridge.askedFor('templates.update')).toHaveLength(2));
    expect(bridge.askedFor('templates.update')[1]).toMatchObject({
      basedOn: 'r9',
      config: { maxPlayers: 60, priority: 7 },
    });
  });

  it('shows beside the save button who else has changed the template', async () => {
    open({ at: ['lobby'] });
    await type('Maximum players', '60');
    world.events = [anEvent({ actor: 'bo' })];
    world.templates = [aTemplate('lobby', { maxPlayers: 80 }, { configRevision: 'r9' })];
    bridge.push('notification', { name: 'stale', params: { topics: ['templates'] } });
    const bar = await screen.findByRole('region', { name: 'Unsaved changes' });
    await waitFor(() => expect(bar.textContent).toContain('Changed by bo while you were editing'));
    await fireEvent.click(within(bar).getByRole('button', { name: 'Compare' }));
    expect((await screen.findByRole('dialog', { name: 'Changed by someone else' })).textContent).toContain(
      'template lobby was changed by bo',
    );
  });

  it('can undo a save', async () => {
    open({ at: ['lobby'] });
    await type('Maximum players', '60');
    await save();
    await waitFor(() => expect(bridge.askedFor('templates.update')).toHaveLength(1));
    const said = await waitFor(() => {
      const toast = toasts.list.at(-1);
      expect(toast?.text).toBe('Saved 1 change to template lobby');
      return toast;
    });
    said?.undo?.();
    await waitFor(() => expect(bridge.askedFor('templates.update')).toHaveLength(2));
    expect(bridge.askedFor('templates.update')[1]).toEqual({
      ...{ id: 'lobby', basedOn: 'r2' },
      config: aTemplate('lobby').config,
    });
    await waitFor(() =>
      expect(toasts.list.at(-1)?.text).toBe('Template lobby is reset to its previous values'),
    );
  });

  it('shows the mistakes in a faulty file', async () => {
    const problem = {
      field: 'maxPlayers',
      problem: 'must be a whole number',
      value: '"x"',
      allowed: 'a whole number',
      default: '1',
      line: 3,
    };
    open({ at: ['lobby'], template: aTemplate('lobby', {}, { problems: [problem] }) });
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('maxPlayers (line 3) must be a whole number: found "x"');
    expect(alert.textContent).toContain('last good');
  });

  it('keeps unsaved changes while another screen is open', async () => {
    open({ at: ['lobby'] });
    await type('Maximum players', '60');
    route.go('templates');
    expect(await screen.findByText('unsaved changes')).toBeTruthy();
    route.go('templates', 'lobby');
    expect((await number('Maximum players')).value).toBe('60');
  });
});

describe('the dialog that creates a template', () => {
  it('suggests an id, and then opens the files of the new template', async () => {
    open({ at: ['+new'] });
    const dialog = await screen.findByRole('dialog', { name: 'Create template' });
    await waitFor(() =>
      expect(within(dialog).getByRole<HTMLInputElement>('textbox', { name: 'Id' }).value).toBe('lobby-2'),
    );
    await fireEvent.input(within(dialog).getByRole('textbox', { name: 'Id' }), {
      target: { value: 'Bad Id' },
    });
    expect((await within(dialog).findByRole('alert')).textContent).toContain('Use only lowercase letters');
    await fireEvent.click(within(dialog).getByRole('radio', { name: /Something else/ }));
    await fireEvent.input(within(dialog).getByRole('textbox', { name: 'Name' }), {
      target: { value: 'Bed Wars' },
    });
    await fireEvent.input(within(dialog).getByRole('textbox', { name: 'Id' }), { target: { value: 'test' } });
    bridge.answerCall('templates.create', ({ id, config }) => aTemplate(id, config as TemplateConfig));
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Create template' }));
    expect((await within(dialog).findByRole('alert')).textContent).toContain('Choose what its services are');
    expect(bridge.askedFor('templates.create')).toEqual([]);
    await fireEvent.click(within(dialog).getByRole('radio', { name: 'Game server' }));
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Create template' }));
    await waitFor(() => expect(route.parts).toEqual(['files', 'templates', 'test']));
    expect(bridge.askedFor('templates.create')).toEqual([
      {
        id: 'test',
        config: expect.objectContaining({ name: 'Bed Wars', isProxy: false, maxPlayers: 20 }) as unknown,
      },
    ]);
  });
});

describe('the dialog that deletes a template', () => {
  it('contains the number of files and services, and requires a decision about the services', async () => {
    open({ at: [], services: [aService('lobby', 1, { players: { online: 3, max: 20 } })] });
    bridge.answerCall('templates.delete', () => ({}));
    const grid = await screen.findByRole('grid', { name: 'Templates' });
    const row = within(grid).getAllByRole('row')[1];
    if (row === undefined) throw new Error('no row');
    await fireEvent.click(row, { ctrlKey: true });
    await fireEvent.keyDown(grid, { key: 'Delete' });
    const dialog = await screen.findByRole('dialog', { name: 'Delete template lobby and its 214 files' });
    expect(dialog.textContent).toContain(
      '1 service is stopped now. 3 players are moved to a fallback of another template while it has room, or disconnected.',
    );
    const button = within(dialog).getByRole('button', { name: 'Delete template' });
    expect((button as HTMLButtonElement).disabled).toBe(true);
    await fireEvent.click(within(dialog).getByRole('radio', { name: 'Stop its services now and delete' }));
    await fireEvent.click(button);
    await waitFor(() =>
      expect(bridge.askedFor('templates.delete')).toEqual([{ id: 'lobby', services: 'stop' }]),
    );
  });
});

describe('the search in the settings of a template', () => {
  const search = async () => screen.findByRole<HTMLInputElement>('searchbox', { name: 'Find setting' });
  const find = async (text: string) => fireEvent.input(await search(), { target: { value: text } });
  const shown = () =>
    [...document.querySelectorAll<HTMLElement>('[data-field]')].map(({ dataset }) => dataset['field']);

  it.each([
    ['a part of the label', 'JVM mem', ['minJvmMemory', 'maxJvmMemory']],
    ['the key', 'joinpermission', ['joinPermission']],
    ['words of the description', 'slots share', ['startNewServiceAtTemplateCapacity']],
  ])('finds settings by %s, and shows the number of matches', async (_by, text, fields) => {
    open({ at: ['lobby'] });
    await find(text);
    await waitFor(() => expect(shown()).toEqual(fields));
    const count = `${fields.length} of ${SETTINGS} settings ${fields.length === 1 ? 'matches' : 'match'}`;
    expect(screen.getByText(count)).toBeTruthy();
  });

  it('explains that nothing was found, and shows all settings again after Escape', async () => {
    open({ at: ['lobby'] });
    await find('netherite');
    expect(await screen.findByText('No setting matches')).toBeTruthy();
    expect(shown()).toEqual([]);
    await fireEvent.keyDown(await search(), { key: 'Escape' });
    await waitFor(() => expect(shown()).toHaveLength(SETTINGS));
    expect((await search()).value).toBe('');
  });

  it('gets the focus with Ctrl+F, and Enter moves the focus to the first match', async () => {
    open({ at: ['lobby'] });
    const name = await screen.findByRole('textbox', { name: 'Name' });
    name.focus();
    await fireEvent.keyDown(name, { key: 'f', ctrlKey: true });
    expect(document.activeElement).toBe(await search());
    await find('memory');
    await fireEvent.keyDown(await search(), { key: 'Enter' });
    await waitFor(async () => expect(document.activeElement).toBe(await number('Minimum JVM memory')));
  });

  it('ends if the user saves while the search hides a setting with a mistake', async () => {
    open({ at: ['lobby'] });
    await type('Maximum players', '0');
    await find('permission');
    await waitFor(() => expect(shown()).toEqual(['joinPermission']));
    await save();
    await waitFor(async () => expect(document.activeElement).toBe(await number('Maximum players')));
    expect((await search()).value).toBe('');
  });
});
