import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TemplateConfig } from '#shared/config/template.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aTemplate } from '#test/support/app/models.ts';
import { bridgeOver } from '../../support/window-world.ts';
import { openLobbyPage } from './lobby-page.ts';

let bridge: FakeBridge;
let close: () => void;
let field: HTMLInputElement;
let noLimit: HTMLElement;

beforeEach(async () => {
  const template = aTemplate('lobby', { maximumOnlineServers: 10 });
  bridge = bridgeOver({ templates: [template] }).answerCall('templates.update', ({ id, config }) =>
    aTemplate(id, config as TemplateConfig, { configRevision: 'r2' }),
  );
  close = openLobbyPage(bridge);
  field = await screen.findByRole<HTMLInputElement>('spinbutton', { name: 'Maximum online services' });
  noLimit = await screen.findByRole('switch', { name: 'Maximum online services: No limit' });
  field.focus();
  await fireEvent.input(field, { target: { value: '' } });
});

afterEach(() => close());

const state = () => ({ disabled: field.disabled, noLimit: noLimit.getAttribute('aria-checked') });

/** Saves the template. @returns the saved maximum */
async function save(): Promise<unknown> {
  await fireEvent.click(await screen.findByRole('button', { name: 'Save changes' }));
  await waitFor(() => expect(bridge.askedFor('templates.update')).toHaveLength(1));
  return (bridge.askedFor('templates.update')[0] as { config: TemplateConfig }).config.maximumOnlineServers;
}

it('accepts another number while the number of a limit is cleared', async () => {
  expect(state()).toEqual({ disabled: false, noLimit: 'false' });
  expect(document.activeElement).toBe(field);
  await fireEvent.input(field, { target: { value: '25' } });
  expect(await save()).toBe(25);
});

it('turns a cleared limit off when the focus leaves the field, and its switch restores the number', async () => {
  field.blur();
  await waitFor(() => expect(state()).toEqual({ disabled: true, noLimit: 'true' }));
  await fireEvent.click(noLimit);
  expect(field.value).toBe('10');
});

it('turns a cleared limit off with its switch', async () => {
  noLimit.focus();
  await fireEvent.click(noLimit);
  expect(state()).toEqual({ disabled: true, noLimit: 'true' });
  expect(await save()).toBe(-1);
});
