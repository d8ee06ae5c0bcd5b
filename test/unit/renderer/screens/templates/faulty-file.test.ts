import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import TemplatesScreen from '#renderer/screens/templates/TemplatesScreen.svelte';
import { templateDrafts } from '#renderer/stores/documents/drafts.svelte.ts';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { readDocument } from '#shared/config/document.ts';
import { templateConfigSchema, type TemplateConfig } from '#shared/config/template.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Template } from '#shared/model/template.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aTemplate } from '#test/support/app/models.ts';
import { connectStores } from '../../support/open-screen.ts';
import { pretendLayout } from '../../support/pretend-layout.ts';
import { bridgeOver } from '../../support/window-world.ts';

const TEXT = '{\n  "maxPlayers": 30\n  "priority": 2\n}\n';
const reading = readDocument(templateConfigSchema, TEXT);
const problems = reading.kind === 'faulty' ? [...reading.problems] : [];
const faulty = aTemplate('lobby', { maxPlayers: 20 }, { problems, configRevision: 'r9' });

let stops: (() => void)[] = [];
let bridge: FakeBridge;

function open(template: Template, ...at: readonly string[]): void {
  const world = { templates: [template] };
  bridge = bridgeOver(world)
    .answerCall('templates.text', () => ({ text: TEXT, revision: 'r9' }))
    .answerCall('templates.update', ({ id, config }) => {
      const saved = aTemplate(id, config as TemplateConfig, { configRevision: 'r10' });
      world.templates = [saved];
      return saved;
    });
  stops.push(connectStores(bridge));
  route.go('templates', ...at);
  render(TemplatesScreen);
}

beforeEach(() => {
  stops = [pretendLayout({ width: 1200, height: 800 })];
});

afterEach(() => {
  for (const stop of stops.reverse()) stop();
  templateDrafts.forget('lobby');
});

const notice = () => screen.findByRole('alert');
const openButton = async () =>
  within(await notice()).findByRole<HTMLButtonElement>('button', { name: 'Open file' });
const bar = () => screen.findByRole('region', { name: 'Unsaved changes' });

describe('the faulty configuration file of a template', () => {
  it('is opened as text, and can be saved only without mistakes', async () => {
    open(faulty, 'lobby');
    await fireEvent.click(await openButton());
    const draft = templateDrafts.open(faulty);
    await waitFor(() => expect(draft.text).toBe(TEXT));
    expect((await bar()).textContent).toContain('a comma is missing between two entries');
    expect((await bar()).textContent).toContain('line 3');
    await fireEvent.click(within(await bar()).getByRole('button', { name: 'Save changes' }));
    expect(bridge.askedFor('templates.update')).toEqual([]);

    draft.setText(JSON.stringify({ ...faulty.config, maxPlayers: 30, priority: 2 }));
    await waitFor(async () => expect((await bar()).textContent).toContain('2 changes'));
    await fireEvent.click(within(await bar()).getByRole('button', { name: 'Save changes' }));
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
    expect(bridge.askedFor('templates.update')).toEqual([
      { id: 'lobby', config: { ...faulty.config, maxPlayers: 30, priority: 2 }, basedOn: 'r9' },
    ]);
    expect(screen.queryByRole('region', { name: 'Unsaved changes' })).toBeNull();
  });

  it('can be saved after a correction, even if the result equals the values in use', async () => {
    open(faulty, 'lobby');
    await fireEvent.click(await openButton());
    const draft = templateDrafts.open(faulty);
    await waitFor(() => expect(draft.opened).toBe(true));
    draft.setText(JSON.stringify(faulty.config));
    await waitFor(async () =>
      expect((await bar()).textContent).toContain('Corrected file, with the values in use'),
    );
    await fireEvent.click(within(await bar()).getByRole('button', { name: 'Save changes' }));
    await waitFor(() => expect(bridge.askedFor('templates.update')).toHaveLength(1));
  });

  it('is opened at once if the address of the screen names it', async () => {
    open(faulty, 'lobby', 'settings', 'on-disk');
    await waitFor(() => expect(templateDrafts.open(faulty).opened).toBe(true));
    expect(route.address).toBe('templates/lobby/settings');
  });

  it('is not opened over unsaved changes of the user', async () => {
    templateDrafts.open(faulty).set('maxPlayers', '21');
    open(faulty, 'lobby', 'settings', 'on-disk');
    expect((await openButton()).disabled).toBe(true);
    expect((await openButton()).title).toBe('You have unsaved changes; save or discard them first');
    expect(bridge.askedFor('templates.text')).toEqual([]);
  });

  it('can be opened again after the user has discarded the changes', async () => {
    open(faulty, 'lobby');
    await fireEvent.click(await openButton());
    await fireEvent.click(within(await bar()).getByRole('button', { name: 'Discard' }));
    expect((await openButton()).disabled).toBe(false);
  });

  it('cannot be opened if it is not a text file', async () => {
    open(faulty, 'lobby');
    bridge.answerCall('templates.text', () => {
      throw new OverworldError('DOCUMENT_NOT_TEXT', { document: 'Template lobby', why: 'is not a file' });
    });
    await fireEvent.click(await openButton());
    await waitFor(async () => expect((await openButton()).disabled).toBe(false));
    expect(templateDrafts.open(faulty).opened).toBe(false);
  });

  it('is linked from the list of templates', async () => {
    open(faulty);
    const state = await screen.findByTitle('Open lobby.json');
    expect(state.getAttribute('href')).toBe('#/templates/lobby/settings/on-disk');
    await fireEvent.contextMenu(await screen.findByText('Faulty configuration'));
    expect(await screen.findByRole('menuitem', { name: 'Open lobby.json' })).toBeTruthy();
  });
});
