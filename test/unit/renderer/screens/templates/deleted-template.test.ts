import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { allUnsaved } from '#renderer/stores/documents/unsaved.svelte.ts';
import { toasts } from '#renderer/ui/overlay/toasts.svelte.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aTemplate } from '#test/support/app/models.ts';
import { bridgeOver, type WindowWorld } from '../../support/window-world.ts';
import { openLobbyPage } from './lobby-page.ts';

let close: () => void;
let bridge: FakeBridge;
let world: WindowWorld;

beforeEach(() => {
  world = { templates: [aTemplate('lobby'), aTemplate('arena')] };
  bridge = bridgeOver(world);
  close = openLobbyPage(bridge);
});

afterEach(() => close());

it('the app does not ask about unsaved changes of a deleted template, but says that they cannot be saved', async () => {
  const players = await screen.findByRole<HTMLInputElement>('spinbutton', { name: 'Maximum players' });
  await fireEvent.input(players, { target: { value: '60' } });
  expect(allUnsaved()).toEqual(['template lobby']);
  world.templates = [aTemplate('arena')];
  bridge.push('notification', { name: 'stale', params: { topics: ['templates'] } });
  await screen.findByText('There is no template lobby');
  expect(allUnsaved()).toEqual([]);
  await waitFor(() =>
    expect(toasts.list.map(({ text }) => text)).toEqual([
      'Template lobby was deleted. Your unsaved changes to it cannot be saved.',
    ]),
  );
});
