import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import ConfigurationScreen from '#renderer/screens/configuration/ConfigurationScreen.svelte';
import { masterDraft } from '#renderer/stores/documents/drafts.svelte.ts';
import { route } from '#renderer/stores/app/route.svelte.ts';
import type { MasterConfig } from '#shared/config/master.ts';
import type { Template } from '#shared/model/template.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aMasterDocument, aTemplate } from '#test/support/app/models.ts';
import { connectStores } from '../../support/open-screen.ts';
import { pretendLayout } from '../../support/pretend-layout.ts';
import { bridgeOver, type WindowWorld } from '../../support/window-world.ts';

let stops: (() => void)[] = [];
let bridge: FakeBridge;
let world: WindowWorld;

/**
 * Opens the master's settings in a network with these templates. @returns the element with the player limit and all
 * texts beside it
 */
async function openAtLimit(templates: Template[]): Promise<HTMLElement> {
  world = { templates };
  bridge = bridgeOver(world);
  stops.push(connectStores(bridge));
  route.go('configuration');
  render(ConfigurationScreen);
  const input = await screen.findByRole('spinbutton', { name: 'Global player limit' });
  const field = input.closest<HTMLElement>('[data-field]');
  if (field === null) throw new Error('the input belongs to no field');
  return field;
}

const limit = (field: HTMLElement) => within(field).getByRole('spinbutton');

beforeEach(() => {
  stops = [pretendLayout({ width: 1200, height: 800 })];
});
afterEach(() => {
  for (const stop of stops.reverse()) stop();
  masterDraft.forget();
});

describe('the player limit in the master configuration', () => {
  it('has a warning while there is no proxy template, because only proxies enforce the limit', async () => {
    const lobby = aTemplate('lobby', { isProxy: false });
    const field = await openAtLimit([lobby]);
    expect(field.dataset['field']).toBe('max_online_players');
    await within(field).findByText(/^max_online_players is 100, but no template is a proxy \(isProxy\)/);
    await fireEvent.input(limit(field), { target: { value: '250' } });
    await within(field).findByText(/^max_online_players is 250, but no template is a proxy/);

    world.templates = [lobby, aTemplate('gate', { isProxy: true })];
    bridge.push('notification', { name: 'stale', params: { topics: ['templates'] } });
    await waitFor(() => expect(within(field).queryByText(/no template is a proxy/)).toBeNull());
    expect(within(field).getByRole<HTMLInputElement>('spinbutton').value).toBe('250');
  });

  it('can be saved in spite of the warning', async () => {
    const field = await openAtLimit([aTemplate('lobby', { isProxy: false })]);
    bridge.answerCall('config.update', ({ config }) =>
      aMasterDocument({ config: config as MasterConfig, configRevision: 'm2' }),
    );
    await fireEvent.input(limit(field), { target: { value: '250' } });
    await within(field).findByText(/^max_online_players is 250, but no template is a proxy/);
    await fireEvent.click(await screen.findByRole('button', { name: 'Save changes' }));
    await waitFor(() =>
      expect(bridge.askedFor('config.update')).toMatchObject([
        { config: { max_online_players: 250 }, basedOn: 'm1' },
      ]),
    );
  });
});
