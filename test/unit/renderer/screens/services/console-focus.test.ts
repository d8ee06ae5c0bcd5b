import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import Consoles from '#renderer/screens/services/console/Consoles.svelte';
import { consoleTabs } from '#renderer/stores/console/console-tabs.svelte.ts';
import { services } from '#renderer/stores/services.svelte.ts';
import { aService } from '#test/support/app/models.ts';
import { connectStores } from '../../support/open-screen.ts';
import { pretendLayout } from '../../support/pretend-layout.ts';
import { bridgeOver } from '../../support/window-world.ts';

let stops: (() => void)[] = [];

beforeEach(async () => {
  const bridge = bridgeOver({ services: [aService('lobby', 1), aService('lobby', 2)] });
  bridge.answerCall('services.followLog', () => [{ seq: 0, text: 'hello' }]);
  stops = [pretendLayout({ width: 800, height: 400 }), connectStores(bridge)];
  render(Consoles);
  for (const id of ['lobby-1', 'lobby-2']) consoleTabs.open({ kind: 'service', id });
  await waitFor(() => expect(services.list).toHaveLength(2));
  await screen.findAllByRole('log', { hidden: true });
});

afterEach(() => {
  for (const id of ['lobby-1', 'lobby-2']) consoleTabs.close(`service ${id}`);
  for (const stop of stops.reverse()) stop();
});

const tab = (id: string) => screen.getByRole('tab', { name: id });
const focused = () => document.activeElement;

describe('the tabs of consoles', () => {
  it('pass the focus on to the next tab when the focused one is closed with Delete', async () => {
    tab('lobby-2').focus();
    await fireEvent.keyDown(tab('lobby-2'), { key: 'Delete' });
    await waitFor(() => expect(focused()).toBe(tab('lobby-1')));
    await fireEvent.keyDown(tab('lobby-1'), { key: 'Delete' });
    await waitFor(() => expect(focused()?.textContent).toContain('Open console'));
  });

  it('get the focus when the console that has it is closed with Ctrl+W', async () => {
    screen.getByRole('textbox', { name: 'Command for lobby-2' }).focus();
    await fireEvent.keyDown(document.body, { key: 'w', ctrlKey: true });
    await waitFor(() => expect(focused()).toBe(tab('lobby-1')));
  });

  it('do not take the focus when another tab is closed with the mouse', async () => {
    const command = screen.getByRole('textbox', { name: 'Command for lobby-2' });
    command.focus();
    await fireEvent.click(screen.getByRole('button', { name: 'Close console of lobby-1' }));
    await waitFor(() => expect(screen.queryByRole('tab', { name: 'lobby-1' })).toBeNull());
    expect(focused()).toBe(command);
  });
});
