import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, it } from 'vitest';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { services } from '#renderer/stores/services.svelte.ts';
import { toasts } from '#renderer/ui/overlay/toasts.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Service } from '#shared/model/service.ts';
import { aService, aTemplate, AT } from '#test/support/app/models.ts';
import type { WindowWorld } from '../../support/window-world.ts';
import { mixed, row, setUpServices } from './services-world.ts';

/** Opens the question whether to stop a service, through the menu of its row. */
async function askToStop(id: string): Promise<HTMLElement> {
  await fireEvent.contextMenu(row(id));
  await fireEvent.click(await screen.findByRole('menuitem', { name: /^Stop service/ }));
  return screen.findByRole('dialog', { name: `Stop service ${id}?` });
}

/** Opens the question whether to restart these services, by selecting them. */
async function askToRestart(ids: readonly string[]): Promise<HTMLElement> {
  for (const id of ids) await fireEvent.click(screen.getByRole('checkbox', { name: `Select ${id}` }));
  const bar = screen.getByRole('group', { name: 'Selected services' });
  await fireEvent.click(within(bar).getByRole('button', { name: 'Restart' }));
  return screen.findByRole('dialog', { name: `Restart ${ids.length} services?` });
}

describe('the Services screen', () => {
  const open = setUpServices();

  it('keeps the selection when services change, and stops all selected services after a confirmation', async () => {
    const world = mixed();
    const bridge = await open(world);
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Select lobby-1' }));
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Select lobby-10' }));
    world.services = (world.services ?? []).map((one) => ({ ...one, ramMb: 2000 }));
    bridge.push('notification', { name: 'stale', params: { topics: ['services'] } });
    await waitFor(() => expect(row('lobby-1').textContent).toContain('2 GB'));
    const bar = screen.getByRole('group', { name: 'Selected services' });
    expect(bar.textContent).toContain('2 services selected');

    await fireEvent.click(within(bar).getByRole('button', { name: 'Stop' }));
    const dialog = await screen.findByRole('dialog', { name: 'Stop 2 services?' });
    expect(dialog.textContent).toContain('43 players are disconnected, as their proxy stops');
    expect(bridge.askedFor('services.stop')).toEqual([]);
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Stop 2 services now' }));
    await waitFor(() =>
      expect(bridge.askedFor('services.stop')).toEqual([
        { id: 'lobby-1', kill: false },
        { id: 'lobby-10', kill: false },
      ]),
    );
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('reports the result of a stop whose dialog the user has closed, and leaves the next question open', async () => {
    const bridge = await open(mixed());
    let fail: (reason: Error) => void = () => undefined;
    bridge.answerCall('services.stop', () => new Promise((_resolve, reject) => (fail = reject)));
    await askToStop('lobby-1');
    await fireEvent.click(screen.getByRole('button', { name: 'Stop service now' }));
    await waitFor(() => expect(bridge.askedFor('services.stop')).toHaveLength(1));
    await fireEvent.click(screen.getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());

    const next = await askToStop('lobby-10');
    const button = within(next).getByRole<HTMLButtonElement>('button', { name: 'Stop service now' });
    expect(button.disabled).toBe(false);
    fail(new OverworldError('NODE_UNREACHABLE', { node: 'n-1', why: 'no answer' }));
    await waitFor(() => expect(toasts.list.at(-1)?.text).toContain('n-1'));
    expect(screen.getByRole('dialog', { name: 'Stop service lobby-10?' })).toBe(next);
    expect(within(next).queryByRole('alert')).toBeNull();
  });

  it('restarts the other services if one has lost its process, which then starts from the newest files anyway', async () => {
    const bridge = await open(mixed());
    bridge.answerCall('services.restart', ({ id }) => {
      if (id === 'lobby-2')
        throw new OverworldError('SERVICE_NOT_STARTED', { service: id, state: 'REQUESTED' });
      return {};
    });
    const dialog = await askToRestart(['lobby-1', 'lobby-2']);
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Restart 2 services' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(toasts.list.at(-1)?.text).toBe('2 services are restarting');
  });

  it('tries only the failed services again after a restart of several services', async () => {
    const bridge = await open(mixed());
    bridge.answerCall('services.restart', ({ id }) => {
      if (id === 'lobby-2') throw new OverworldError('NODE_UNREACHABLE', { node: 'n-1', why: 'no answer' });
      return {};
    });
    const dialog = await askToRestart(['lobby-1', 'lobby-2', 'lobby-10']);
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Restart 3 services' }));
    expect((await within(dialog).findByRole('alert')).textContent).toContain('n-1');
    expect(toasts.list.at(-1)?.text).toBe('2 of 3 services are restarting');
    expect(dialog.textContent).toContain('Restart service lobby-2?');
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Restart service' }));
    await waitFor(() =>
      expect(bridge.askedFor('services.restart').slice(3)).toMatchObject([{ id: 'lobby-2' }]),
    );
  });

  it('disables actions on services of templates that the key may not change, and explains why', async () => {
    await open({
      role: 'operator',
      keyTemplates: ['lobby'],
      templates: [aTemplate('lobby'), aTemplate('arena')],
      services: [aService('lobby', 1), aService('arena', 1)],
    });
    const menuOf = async (id: string): Promise<readonly (string | null)[]> => {
      await fireEvent.contextMenu(row(id));
      const menu = await screen.findByRole('menu');
      const items = within(menu)
        .getAllByRole('menuitem')
        .filter((item) => /Stop|Restart|Kill|console|automation/.test(item.textContent));
      expect(items.length).toBeGreaterThanOrEqual(5);
      const disabled = items.map((item) => item.getAttribute('aria-disabled'));
      await fireEvent.keyDown(menu, { key: 'Escape' });
      await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
      return [...new Set(disabled)];
    };
    await waitFor(() => expect(row('arena-1')).toBeTruthy());
    expect(await menuOf('arena-1')).toEqual(['true']);
    expect(await menuOf('lobby-1')).not.toContain('true');
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Select lobby-1' }));
    const stop = (): HTMLElement =>
      within(screen.getByRole('group', { name: 'Selected services' })).getByRole('button', { name: 'Stop' });
    expect(stop().title).toBe('');
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Select arena-1' }));
    expect(stop().title).toBe('Your key is only for the template lobby');
  });

  it('keeps the number of players in the dialog up to date, and offers to move players only while there are some', async () => {
    const withPlayers = (online: number) =>
      aService('lobby', 1, { state: online > 0 ? 'IN_USE' : 'RUNNING', players: { online, max: 50 } });
    const templates = [aTemplate('lobby', { isProxy: false })];
    const world: WindowWorld = { templates, services: [withPlayers(3)] };
    const bridge = await open(world);
    const change = (services: Service[]): void => {
      world.services = services;
      bridge.push('notification', { name: 'stale', params: { topics: ['services'] } });
    };
    await fireEvent.contextMenu(row('lobby-1'));
    await fireEvent.click(await screen.findByRole('menuitem', { name: /^Stop service/ }));
    const dialog = await screen.findByRole('dialog', { name: 'Stop service lobby-1?' });
    const drain = () => within(dialog).queryByRole('button', { name: 'Move players, then stop' });
    expect(dialog.textContent).toContain('3 players');
    change([withPlayers(0)]);
    await waitFor(() => expect(dialog.textContent).toContain('No players are on it now.'));
    expect(drain()).toBeNull();
    change([withPlayers(7)]);
    await waitFor(() => expect(dialog.textContent).toContain('7 players'));
    expect(drain()).not.toBeNull();
    change([]);
    await waitFor(() => expect(services.list).toEqual([]));
    expect(dialog.textContent).toContain('Stop service lobby-1?');
  });

  it('can move players to other services before a stop, and lets the user cancel the move', async () => {
    const players = { online: 3, max: 50 };
    const bridge = await open({
      templates: [aTemplate('lobby', { isProxy: false, isFallback: true }), aTemplate('proxy')],
      services: [
        aService('lobby', 1, { state: 'IN_USE', players }),
        aService('lobby', 2),
        aService('proxy', 1),
      ],
    });
    bridge.answerCall('services.drain', () => ({})).answerCall('services.cancelDrain', () => ({}));
    await fireEvent.contextMenu(row('lobby-1'));
    await fireEvent.click(await screen.findByRole('menuitem', { name: /^Stop service/ }));
    const dialog = await screen.findByRole('dialog', { name: 'Stop service lobby-1?' });
    expect(dialog.textContent).toContain('3 players are moved to a fallback with room.');
    await fireEvent.change(within(dialog).getByRole('combobox'), { target: { value: '30' } });
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Move players, then stop' }));
    await waitFor(() =>
      expect(bridge.askedFor('services.drain')).toEqual([{ id: 'lobby-1', withinMs: 1_800_000 }]),
    );
    expect(bridge.askedFor('services.stop')).toEqual([]);
    const message = 'Service lobby-1 is draining and stops once it is empty';
    await waitFor(() => expect(toasts.list.at(-1)?.text).toBe(message));
    const said = toasts.list.at(-1);
    expect(said?.action?.label).toBe('Cancel');
    said?.action?.onselect();
    await waitFor(() => expect(bridge.askedFor('services.cancelDrain')).toEqual([{ id: 'lobby-1' }]));
  });

  it('shows the progress of a drain in the details, where the user can cancel the drain', async () => {
    const draining = { since: AT, cause: 'requested by anna', until: null };
    const players = { online: 3, max: 50 };
    const bridge = await open({
      ...mixed(),
      services: [aService('lobby', 1, { state: 'IN_USE', players, draining })],
    });
    bridge.answerCall('services.cancelDrain', () => ({}));
    expect(row('lobby-1').textContent).toContain('Draining');
    route.go('services', 'lobby-1', 'details');
    expect(await screen.findByText(/accepts no new players, 3 players still on it/)).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: 'Cancel drain' }));
    await waitFor(() => expect(bridge.askedFor('services.cancelDrain')).toEqual([{ id: 'lobby-1' }]));
  });

  it('shows how many of the selected services the filter hides', async () => {
    await open(mixed());
    for (const id of ['lobby-1', 'lobby-2', 'proxy-1'])
      await fireEvent.click(screen.getByRole('checkbox', { name: `Select ${id}` }));
    await fireEvent.input(screen.getByRole('searchbox', { name: 'Filter services' }), {
      target: { value: 'proxy' },
    });
    const bar = screen.getByRole('group', { name: 'Selected services' });
    await waitFor(() => expect(bar.textContent).toContain('3 services selected'));
    expect(bar.textContent).toContain('2 not shown by the filter');
    await fireEvent.click(within(bar).getByRole('button', { name: 'Stop' }));
    const dialog = await screen.findByRole('dialog', { name: 'Stop 3 services?' });
    expect(dialog.textContent).toContain('2 of them are not shown by the filter.');
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));
    await fireEvent.click(within(bar).getByRole('button', { name: 'Deselect hidden' }));
    await waitFor(() => expect(bar.textContent).toContain('1 service selected'));
    expect(bar.textContent).not.toContain('filter');
  });

  it('requires the number of services as input before it kills hundreds of services', async () => {
    const many = Array.from({ length: 312 }, (_, n) => aService('lobby', n + 1));
    const bridge = await open({ templates: [aTemplate('lobby')], services: many });
    screen.getByRole('grid').focus();
    await fireEvent.keyDown(screen.getByRole('grid'), { key: 'a', ctrlKey: true });
    const bar = screen.getByRole('group', { name: 'Selected services' });
    await fireEvent.click(within(bar).getByRole('button', { name: 'Kill' }));
    const dialog = await screen.findByRole('dialog', { name: 'Kill 312 services?' });
    const kill = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Kill 312 services' });
    expect(kill.disabled).toBe(true);
    const field = within(dialog).getByRole('textbox', { name: 'Type 312 to confirm' });
    await fireEvent.input(field, { target: { value: '31' } });
    expect(kill.disabled).toBe(true);
    await fireEvent.input(field, { target: { value: '312' } });
    expect(kill.disabled).toBe(false);
    await fireEvent.click(kill);
    await waitFor(() => expect(bridge.askedFor('services.stop')).toHaveLength(312));
  });

  it('warns before a stop that the minimum will cause a new service', async () => {
    await open({
      templates: [aTemplate('lobby', { minimumRunningServers: 1 })],
      services: [aService('lobby', 1)],
    });
    screen.getByRole('grid').focus();
    await fireEvent.keyDown(screen.getByRole('grid'), { key: ' ' });
    await fireEvent.keyDown(screen.getByRole('grid'), { key: 'Delete' });
    const dialog = await screen.findByRole('dialog', { name: 'Stop service lobby-1?' });
    expect(dialog.textContent).toContain('The minimum of the template is 1, so a new one will start.');
  });

  it('opens the menu of a row after a right click and with the Menu key', async () => {
    await open(mixed());
    await fireEvent.contextMenu(row('lobby-2'));
    const menu = await screen.findByRole('menu');
    const names = within(menu)
      .getAllByRole('menuitem')
      .map((item) => item.textContent.trim());
    expect(names.join('|')).toMatch(
      /Show details.*Copy address.*Open files of lobby.*Stop service.*Kill service/s,
    );
    await fireEvent.keyDown(menu, { key: 'Escape' });
    await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());

    const grid = screen.getByRole('grid');
    await fireEvent.keyDown(grid, { key: 'ContextMenu' });
    expect(await screen.findByRole('menu')).toBeTruthy();
  });

  it('shows buttons for the most important actions of a service, and a menu for the others', async () => {
    await open({ services: [aService('lobby', 1)], templates: [aTemplate('lobby')] });
    route.go('services', 'lobby-1');
    const panel = within(await screen.findByRole('region', { name: 'lobby-1' }));
    expect(panel.getByRole('button', { name: 'Stop' }).textContent.trim()).toBe('Stop');
    expect(panel.getByRole('button', { name: 'Restart' }).textContent.trim()).toBe('Restart');
    const more = panel.getByRole('button', { name: 'More actions for lobby-1' });
    more.focus();
    await fireEvent.keyDown(more, { key: 'Enter' });
    const items = within(await screen.findByRole('menu')).getAllByRole('menuitem');
    expect(items.map(({ textContent }) => textContent.trim().split('\n')[0])).toEqual([
      'Open console in a tab',
      'Open merged log of lobby',
      'Save its log',
      expect.stringMatching(/^Copy address/),
      'Open files of lobby',
      'Copy its files to lobby…',
      'Pause automation',
      'Kill service',
    ]);
    await fireEvent.click(items.at(-1) ?? more);
    await screen.findByRole('dialog', { name: 'Kill service lobby-1?' });
  });
});
