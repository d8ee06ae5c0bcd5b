import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TemplateConfig } from '#shared/config/template.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aTemplate } from '#test/support/app/models.ts';
import { bridgeOver } from '../../support/window-world.ts';
import { openLobbyPage } from './lobby-page.ts';

let bridge: FakeBridge;
let close: () => void;

beforeEach(() => {
  bridge = bridgeOver({ templates: [aTemplate('lobby')], services: [] }).answerCall(
    'templates.update',
    ({ id, config }) => aTemplate(id, config as TemplateConfig, { configRevision: 'r2' }),
  );
  close = openLobbyPage(bridge);
});
afterEach(() => close());

const field = async () => screen.findByRole<HTMLInputElement>('textbox', { name: 'Persistent paths' });

/** Types a text character by character, each at the caret. */
async function type(text: string): Promise<void> {
  const input = await field();
  for (const key of text)
    if (await fireEvent.keyDown(input, { key }))
      await fireEvent.input(input, { target: { value: input.value + key } });
}

/** Saves, and checks the saved paths. */
async function expectSaved(persistentPaths: readonly string[]): Promise<void> {
  await fireEvent.click(await screen.findByRole('button', { name: 'Save changes' }));
  await waitFor(() =>
    expect(bridge.askedFor('templates.update')).toMatchObject([{ config: { persistentPaths } }]),
  );
}

describe('the persistent paths in the editor of a template', () => {
  it('keep a typed pattern with braces as one path', async () => {
    await type('world_{nether,the_end}/,world/');
    await fireEvent.focusOut(await field());
    await expectSaved(['world_{nether,the_end}/', 'world/']);
  });

  it('keep a pasted pattern with braces as one path', async () => {
    await fireEvent.paste(await field(), {
      clipboardData: { getData: () => 'world_{nether,the_end}/, plugins/*/userdata/\nwhitelist.json' },
    });
    await expectSaved(['world_{nether,the_end}/', 'plugins/*/userdata/', 'whitelist.json']);
  });

  it('show a warning about a brace without its counterpart', async () => {
    await type('world_{nether');
    await fireEvent.keyDown(await field(), { key: 'Enter' });
    const warning = await screen.findByText(/^persistentPaths contains "world_\{nether"/);
    expect(warning.closest('[data-field]')?.getAttribute('data-field')).toBe('persistentPaths');
  });
});
