import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { expect, it, onTestFinished } from 'vitest';
import PreferencesScreen from '#renderer/screens/preferences/PreferencesScreen.svelte';
import { preferences } from '#renderer/stores/app/preferences.svelte.ts';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { aPreferences } from '#test/support/app/models.ts';
import { connectStores } from '../support/open-screen.ts';
import { bridgeOver } from '../support/window-world.ts';

it('the Preferences screen shows and changes what happens to running services when the app quits', async () => {
  const bridge = bridgeOver({})
    .answer('app.preferences', () => aPreferences({ onQuit: 'stop' }))
    .answer('app.setPreferences', ({ onQuit }) => aPreferences({ onQuit: onQuit ?? 'stop' }));
  onTestFinished(connectStores(bridge));
  onTestFinished(preferences.connect());
  route.replace('preferences');
  render(PreferencesScreen);
  const select = await screen.findByRole('combobox', { name: 'Services when the app quits' });
  expect(select).toMatchObject({ value: 'stop' });
  await fireEvent.change(select, { target: { value: 'ask' } });
  await waitFor(() => expect(bridge.askedFor('app.setPreferences')).toEqual([{ onQuit: 'ask' }]));
  expect(select).toMatchObject({ value: 'ask' });
});
