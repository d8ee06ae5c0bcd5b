import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import ServicesScreen from '#renderer/screens/services/ServicesScreen.svelte';
import { link } from '#renderer/stores/connection/link.svelte.ts';
import { keepStoresLive } from '#renderer/stores/live.ts';
import { place } from '#renderer/stores/app/place.svelte.ts';
import { toasts } from '#renderer/ui/overlay/toasts.svelte.ts';
import { services } from '#renderer/stores/services.svelte.ts';
import { serviceTable } from '#renderer/stores/app/table-view.svelte.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aService, aTemplate, AT } from '#test/support/app/models.ts';
import { pretendLayout } from '../support/pretend-layout.ts';
import { bridgeOver, installBridge, type WindowWorld } from '../support/window-world.ts';

/** The table's layout before any change; it is kept as long as the window exists. */
const usualTable = serviceTable.value;
let stops: (() => void)[] = [];
let bridge: FakeBridge;
let world: WindowWorld;

let generation = 100;
function connected() {
  return {
    connection: 'embedded',
    kind: 'embedded',
    name: 'This computer',
    address: '127.0.0.1:2022',
    status: 'connected',
    error: null,
    retryAt: null,
    hostKey: null,
    generation,
    run: `run ${generation}`,
  } as const;
}

/** Opens the screen with a network and waits for its rows. */
async function open(of: WindowWorld): Promise<void> {
  world = of;
  bridge = bridgeOver(world);
  installBridge(bridge);
  // Each test is a separate connection, possibly to another master.
  services.reset(false);
  bridge.answer('link.get', () => ({ ...connected(), generation: (generation += 1) }));
  stops.push(keepStoresLive(), link.connect());
  render(ServicesScreen);
  await waitFor(() => expect(services.list).toHaveLength(world.services?.length ?? 0));
  await waitFor(() => expect(ids()[0]).toBe(services.list[0]?.id));
}

function rows(): HTMLElement[] {
  return within(screen.getByRole('grid', { name: 'Services' }))
    .getAllByRole('row')
    .filter((row) => row.dataset['service'] !== undefined);
}

function ids(): string[] {
  return screen.queryByRole('grid') === null ? [] : rows().map((row) => row.dataset['service'] ?? '');
}

function row(id: string): HTMLElement {
  const found = rows().find((one) => one.dataset['service'] === id);
  if (found === undefined) throw new Error(`no row ${id} among ${ids().join(', ')}`);
  return found;
}

const mixed = (): WindowWorld => ({
  templates: [aTemplate('lobby', { minimumRunningServers: 1 }), aTemplate('proxy')],
  services: [
    aService('lobby', 1, { state: 'IN_USE', players: { online: 3, max: 50 } }),
    aService('lobby', 2),
    aService('lobby', 10, { state: 'IN_USE', players: { online: 40, max: 50 } }),
    aService('proxy', 1, {
      state: 'REQUESTED',
      address: null,
      waiting: {
        reason: 'SERVER_JAR_MISSING',
        message: 'The folder of template proxy has no server.jar.',
        until: null,
      },
    }),
  ],
});

describe('Services', () => {
  beforeEach(() => {
    place.go('services');
    serviceTable.set(usualTable);
    stops = [pretendLayout({ width: 1280, height: 600 })];
  });
  afterEach(() => {
    for (const stop of stops.reverse()) stop();
  });

  it('lists all services by template and number, each with state, address and reason', async () => {
    await open(mixed());
    expect(ids()).toEqual(['lobby-1', 'lobby-2', 'lobby-10', 'proxy-1']);
    expect(row('lobby-1').textContent).toMatch(/Players online.*3 \/ 50.*127\.0\.0\.1:25601/s);
    expect(row('proxy-1').textContent).toMatch(/Waiting.*has no server\.jar/s);
  });

  it('renders only the visible rows of 5,000 services', async () => {
    await open({ services: Array.from({ length: 5000 }, (_, n) => aService('lobby', n + 1)) });
    expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('5001');
    expect(rows().length).toBeGreaterThan(10);
    expect(rows().length).toBeLessThan(80);
  });

  it('filters by words and by state, and says so', async () => {
    await open(mixed());
    await fireEvent.input(screen.getByRole('searchbox', { name: 'Filter services' }), {
      target: { value: 'lobby' },
    });
    expect(ids()).toEqual(['lobby-1', 'lobby-2', 'lobby-10']);
    await fireEvent.click(screen.getByRole('button', { name: /Players online/ }));
    expect(ids()).toEqual(['lobby-1', 'lobby-10']);
    expect(screen.getByText('2 of 4 services')).toBeTruthy();
  });

  it('offers to clear a filter without matches', async () => {
    await open(mixed());
    await fireEvent.input(screen.getByRole('searchbox', { name: 'Filter services' }), {
      target: { value: 'zzz' },
    });
    await fireEvent.click(screen.getByRole('button', { name: 'Clear filter' }));
    expect(ids()).toHaveLength(4);
  });

  it('sorts by a column in both directions', async () => {
    await open(mixed());
    const players = screen.getByRole('button', { name: 'Players' });
    await fireEvent.click(players);
    await fireEvent.click(players);
    expect(ids()[0]).toBe('lobby-10');
    expect(screen.getByRole('columnheader', { name: /Players/ }).getAttribute('aria-sort')).toBe(
      'descending',
    );
  });

  it('does not re-sort while the pointer is on the table, and re-sorts when it leaves', async () => {
    await open(mixed());
    await fireEvent.click(screen.getByRole('button', { name: 'Players' }));
    const before = ids();
    const body = row('lobby-1').closest('tbody');
    if (body === null) throw new Error('no tbody');
    await fireEvent.pointerEnter(body);
    world.services = (world.services ?? []).map((one) =>
      one.id === 'lobby-2' ? { ...one, state: 'IN_USE', players: { online: 49, max: 50 } } : one,
    );
    bridge.push('notification', { name: 'stale', params: { topics: ['services'] } });
    await waitFor(() => expect(row('lobby-2').textContent).toContain('49 / 50'));
    expect(ids()).toEqual(before);
    await fireEvent.pointerLeave(body);
    expect(ids().at(-1)).toBe('lobby-2');
  });

  it('keeps the selection across updates, and stops all of it after confirmation', async () => {
    await open(mixed());
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

  it('moves players first if requested, and offers to cancel it', async () => {
    const players = { online: 3, max: 50 };
    await open({
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
    const said = toasts.list.at(-1);
    expect(said?.text).toBe('Service lobby-1 is draining and stops once it is empty');
    expect(said?.action?.label).toBe('Cancel');
    said?.action?.onselect();
    await waitFor(() => expect(bridge.askedFor('services.cancelDrain')).toEqual([{ id: 'lobby-1' }]));
  });

  it('shows the progress of a drain in the details, and cancels it', async () => {
    const draining = { since: AT, cause: 'asked for by anna', until: null };
    const players = { online: 3, max: 50 };
    await open({ ...mixed(), services: [aService('lobby', 1, { state: 'IN_USE', players, draining })] });
    bridge.answerCall('services.cancelDrain', () => ({}));
    expect(row('lobby-1').textContent).toContain('Draining');
    place.go('services', 'lobby-1', 'details');
    expect(await screen.findByText(/takes no new players, 3 players still on it/)).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: 'Cancel drain' }));
    await waitFor(() => expect(bridge.askedFor('services.cancelDrain')).toEqual([{ id: 'lobby-1' }]));
  });

  it('says how many selected services the filter hides, also in the confirmation', async () => {
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

  it('requires the typed number before it kills hundreds', async () => {
    const many = Array.from({ length: 312 }, (_, n) => aService('lobby', n + 1));
    await open({ templates: [aTemplate('lobby')], services: many });
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

  it('warns that the minimum starts a new service', async () => {
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

  it('opens the row menu by right click and by the Menu key', async () => {
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

  it('is operated with the keyboard alone: arrows, Enter, Escape', async () => {
    await open(mixed());
    const grid = screen.getByRole('grid');
    grid.focus();
    await fireEvent.keyDown(grid, { key: 'ArrowDown' });
    await fireEvent.keyDown(grid, { key: 'Enter' });
    expect(place.parts).toEqual(['services', 'lobby-2']);
    const panel = await screen.findByRole('region', { name: 'lobby-2' });
    await fireEvent.keyDown(panel, { key: 'Escape' });
    expect(place.parts).toEqual(['services']);
  });

  it('disables actions while offline and keeps the last known rows', async () => {
    await open(mixed());
    bridge.push('link', { ...connected(), status: 'waiting', retryAt: 0 });
    await waitFor(() =>
      expect(screen.getByRole<HTMLButtonElement>('button', { name: /Start service/ }).disabled).toBe(true),
    );
    expect(ids()).toHaveLength(4);
  });

  it('groups by state with counts and players, and collapses and selects groups by keyboard', async () => {
    await open(mixed());
    await fireEvent.change(screen.getByRole('combobox', { name: 'Group services' }), {
      target: { value: 'state' },
    });
    const table = screen.getByRole('treegrid', { name: 'Services' });
    const heads = (): string[] =>
      within(table)
        .getAllByRole('row')
        .filter((one) => one.getAttribute('aria-level') === '1')
        .map((one) => one.textContent.replace(/\s+/g, ' ').trim());
    expect(heads()).toEqual([
      'Waiting 1 0 players 1 problem',
      'Empty 1 0 players',
      'Players online 2 43 players',
    ]);
    table.focus();
    for (const key of ['Home', 'ArrowLeft']) await fireEvent.keyDown(table, { key });
    expect(table.textContent).not.toContain('proxy-1');
    // End moves to the last service, Left to its group, and Space selects the whole group.
    for (const key of ['End', 'ArrowLeft', ' ']) await fireEvent.keyDown(table, { key });
    expect(screen.getByText('2 services selected, 43 players')).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: 'Restart' }));
    const question = await screen.findByRole('dialog', { name: 'Restart 2 services?' });
    expect(question.textContent).toContain('43 players are disconnected, as their proxy stops.');
    bridge.answerCall('services.restart', () => ({}));
    await fireEvent.click(within(question).getByRole('button', { name: 'Restart 2 services' }));
    await waitFor(() =>
      expect(bridge.askedFor('services.restart')).toEqual([
        { id: 'lobby-1', kill: false },
        { id: 'lobby-10', kill: false },
      ]),
    );
  });

  it('shows and hides columns, and remembers the choice', async () => {
    await open(mixed());
    await fireEvent.click(screen.getByRole('button', { name: 'Choose columns' }));
    await fireEvent.click(await screen.findByRole('checkbox', { name: 'Template' }));
    await fireEvent.click(screen.getByRole('checkbox', { name: 'RAM' }));
    const titles = screen.getAllByRole('columnheader', { hidden: true }).map((one) => one.textContent.trim());
    expect(titles).toContain('Template');
    expect(titles).not.toContain('RAM');
    const kept = bridge.askedFor('app.remember').at(-1) as { key: string; value: string };
    expect(kept.key).toBe('table.services');
    expect(JSON.parse(kept.value)).toMatchObject({ layout: { shown: { template: true, ram: false } } });
  });

  it('marks outdated services and those that are being replaced', async () => {
    await open({
      services: [
        aService('lobby', 1, { outdated: ['files', 'maxJvmMemory'] }),
        aService('lobby', 2, { outdated: ['files'], retiring: { since: 1, cause: 'a rolling restart' } }),
      ],
    });
    expect(row('lobby-1').textContent).toContain('Outdated: files, maxJvmMemory');
    expect(row('lobby-2').textContent).toContain('Being replaced');
  });

  it('labels the main actions of a service, and offers the others in a menu by keyboard', async () => {
    await open({ services: [aService('lobby', 1)], templates: [aTemplate('lobby')] });
    place.go('services', 'lobby-1');
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
      'Pause automation',
      'Kill service',
    ]);
    await fireEvent.click(items.at(-1) ?? more);
    await screen.findByRole('dialog', { name: 'Kill service lobby-1?' });
  });

  it('resizes list and details with the arrow keys on their divider', async () => {
    await open({ services: [aService('lobby', 1)], templates: [aTemplate('lobby')] });
    place.go('services', 'lobby-1');
    const edge = await screen.findByRole('separator', { name: 'Width of the list' });
    const before = Number(edge.getAttribute('aria-valuenow'));
    await fireEvent.keyDown(edge, { key: 'ArrowLeft' });
    expect(Number(edge.getAttribute('aria-valuenow'))).toBeLessThan(before);
    await waitFor(() =>
      expect(bridge.askedFor('app.remember')).toContainEqual({
        key: 'details.from',
        value: String(before - 2),
      }),
    );
  });
});
