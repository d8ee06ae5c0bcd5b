import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import PlayersScreen from '#renderer/screens/players/PlayersScreen.svelte';
import { allUnsaved } from '#renderer/stores/documents/unsaved.svelte.ts';
import { master } from '#renderer/stores/master.svelte.ts';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { services } from '#renderer/stores/services.svelte.ts';
import { players } from '#renderer/stores/players.svelte.ts';
import { playerTable } from '#renderer/stores/app/table-view.svelte.ts';
import { toasts } from '#renderer/ui/overlay/toasts.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aPlayer, aPlugin, aService, aTemplate } from '#test/support/app/models.ts';
import { connectStores } from '../support/open-screen.ts';
import { pretendLayout } from '../support/pretend-layout.ts';
import { bridgeOver, type WindowWorld } from '../support/window-world.ts';

/** Layout of the table before the first change. The app keeps the layout as long as the window exists. */
const usualTable = playerTable.value;
let stops: (() => void)[] = [];
let bridge: FakeBridge;
let copied: string[];

/** Returns a network with a linked proxy, two lobbies, and an arena that is being replaced. */
const network = (): WindowWorld => ({
  templates: [aTemplate('proxy', { isProxy: true }), aTemplate('lobby', { isProxy: false })],
  services: [
    aService('proxy', 1, { plugin: aPlugin(), state: 'IN_USE' }),
    aService('lobby', 1, { state: 'IN_USE', players: { online: 2, max: 50 } }),
    aService('lobby', 2, { players: { online: 50, max: 50 } }),
    aService('lobby', 3, { retiring: { since: 1, cause: 'newer files' } }),
  ],
  players: [
    aPlayer('Grace', 2),
    aPlayer('ada', 1),
    aPlayer('Linus', 3, { server: null }),
    aPlayer('Barbara', 4, { server: 'lobby-2' }),
  ],
});

async function open(world: WindowWorld, at: readonly string[] = []): Promise<void> {
  bridge = bridgeOver(world).answer('app.copyText', ({ text }) => {
    copied.push(text);
    return {};
  });
  stops.push(connectStores(bridge));
  players.value = null;
  route.go('players', ...at);
  render(PlayersScreen);
  await waitFor(() => expect(players.value).not.toBeNull());
  await waitFor(() => expect(screen.queryByRole('grid')).not.toBeNull());
  await waitFor(() => expect(master.role).toBe(world.role ?? 'owner'));
}

function names(): string[] {
  return screen.queryAllByRole('row').flatMap((row) => row.dataset['player'] ?? []);
}

function row(name: string): HTMLElement {
  const found = screen.getAllByRole('row').find((one) => one.dataset['player'] === name);
  if (found === undefined) throw new Error(`no row ${name} among ${names().join(', ')}`);
  return found;
}

async function menuOf(name: string): Promise<HTMLElement> {
  await fireEvent.contextMenu(row(name));
  return screen.findByRole('menu');
}

beforeEach(() => {
  stops = [pretendLayout({ width: 1280, height: 600 })];
  playerTable.set(usualTable);
  copied = [];
  for (const { id } of toasts.list) toasts.close(id);
});
afterEach(() => {
  for (const stop of stops.reverse()) stop();
});

describe('the list of players', () => {
  it('is sorted by name, with links to the server and proxy of each player', async () => {
    await open(network());
    expect(names()).toEqual(['ada', 'Barbara', 'Grace', 'Linus']);
    expect(within(row('ada')).getByRole('link', { name: 'lobby-1' }).getAttribute('href')).toBe(
      '#/services/lobby-1',
    );
    expect(within(row('ada')).getByRole('link', { name: 'proxy-1' })).toBeTruthy();
    expect(row('Linus').textContent).toContain('Between services');
    expect(screen.getByText('4 online, limit 100')).toBeTruthy();
  });

  it('renders only the visible rows of 20,000 players', async () => {
    await open({
      ...network(),
      players: Array.from({ length: 20_000 }, (_, n) => aPlayer(`Player${n}`, n)),
    });
    expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('20001');
    expect(names().length).toBeGreaterThan(10);
    expect(names().length).toBeLessThan(80);
  });

  it('can be filtered by name, server and UUID, and offers to clear a filter that no player matches', async () => {
    await open(network());
    const search = screen.getByRole('searchbox', { name: 'Filter players' });
    await fireEvent.input(search, { target: { value: 'lobby-1' } });
    expect(names()).toEqual(['ada', 'Grace']);
    await fireEvent.input(search, { target: { value: '000000000004' } });
    expect(names()).toEqual(['Barbara']);
    await fireEvent.input(search, { target: { value: 'zzz' } });
    await fireEvent.click(screen.getByRole('button', { name: 'Clear filter' }));
    expect(names()).toHaveLength(4);
  });

  it('explains that the players are not known yet after a start of the master', async () => {
    const world: WindowWorld = { ...network(), players: [], online: null };
    await open(world);
    expect(screen.getByText('Players are not known yet')).toBeTruthy();
    expect(screen.getByText('Not known yet, limit 100')).toBeTruthy();
    Object.assign(world, { players: network().players, online: 4 });
    bridge.push('notification', { name: 'stale', params: { topics: ['players'] } });
    await screen.findByText('4 online, limit 100');
  });

  it('explains that a filter applies only to the listed players if not all players are listed', async () => {
    await open(network());
    const value = players.value;
    if (value === null) throw new Error('no players');
    players.value = { ...value, total: 72_859 };
    const search = screen.getByRole('searchbox', { name: 'Filter players' });
    await fireEvent.input(search, { target: { value: 'lobby-1' } });
    expect(screen.getByText('2 of the first 4, 72,859 online')).toBeTruthy();
    await fireEvent.input(search, { target: { value: 'zzz' } });
    expect(screen.getByText(/None of the first 4 players .* The others are not listed/)).toBeTruthy();
  });

  it('shows only the players of one server if the address of the screen contains a server', async () => {
    await open(network(), ['lobby-2']);
    await waitFor(() => expect(names()).toEqual(['Barbara']));
    expect(route.address).toBe('players');
  });

  it('can be filtered by the whole id of a service, without services whose ids only contain it', async () => {
    const world = network();
    world.services?.push(aService('lobby', 10), aService('eu-lobby', 1), aService('proxy', 10));
    world.players?.push(
      aPlayer('Edsger', 5, { server: 'lobby-10', proxy: 'proxy-10' }),
      aPlayer('Ken', 6, { server: 'eu-lobby-1' }),
    );
    await open(world, ['lobby-1']);
    await waitFor(() => expect(services.get('lobby-10')).toBeTruthy());
    await waitFor(() => expect(names()).toEqual(['ada', 'Grace']));
    const search = screen.getByRole('searchbox', { name: 'Filter players' });
    await fireEvent.input(search, { target: { value: 'proxy-10' } });
    expect(names()).toEqual(['Edsger']);
    await fireEvent.input(search, { target: { value: 'lobby- proxy-1' } });
    expect(names()).toEqual(['ada', 'Barbara', 'Grace', 'Ken']);
  });

  it('can be grouped by server, with a last group for players without a server', async () => {
    await open(network());
    await fireEvent.change(screen.getByRole('combobox', { name: 'Group players' }), {
      target: { value: 'server' },
    });
    expect(names()).toEqual(['ada', 'Grace', 'Barbara', 'Linus']);
  });

  it('gets the focus after the selection was cleared', async () => {
    await open(network());
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Select ada' }));
    await fireEvent.click(screen.getByRole('button', { name: 'Clear selection' }));
    expect(screen.queryByText(/selected$/)).toBeNull();
    expect(document.activeElement).toBe(screen.getByRole('grid'));
  });

  it('shows joins and leaves, and keeps the selection', async () => {
    const world = network();
    await open(world);
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Select ada' }));
    world.players = [aPlayer('ada', 1, { server: 'lobby-2' }), aPlayer('Dennis', 9)];
    bridge.push('notification', { name: 'stale', params: { topics: ['players'] } });
    await waitFor(() => expect(names()).toEqual(['ada', 'Dennis']));
    expect(row('ada').textContent).toContain('lobby-2');
    expect(screen.getByText('1 player selected')).toBeTruthy();
  });

  it('kicks a player with a message after the user has confirmed', async () => {
    await open(network());
    await fireEvent.click(within(await menuOf('ada')).getByRole('menuitem', { name: /^Kick ada…/ }));
    const dialog = await screen.findByRole('dialog', { name: 'Kick ada?' });
    expect(dialog.textContent).toContain('ada leaves the network and can join again immediately.');
    await fireEvent.input(within(dialog).getByRole('textbox', { name: 'Message' }), {
      target: { value: '  Be kind.  ' },
    });
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Kick ada' }));
    await waitFor(() => expect(names()).not.toContain('ada'));
    expect(bridge.askedFor('players.kick')).toEqual([{ uuid: aPlayer('ada', 1).uuid, message: 'Be kind.' }]);
    expect(toasts.list.map(({ text }) => text)).toEqual(['ada kicked']);
  });

  it('kicks several players with the Delete key, and ignores players who have already left', async () => {
    await open(network());
    bridge.answerCall('players.kick', ({ uuid }) => {
      if (uuid === aPlayer('ada', 1).uuid) throw new OverworldError('PLAYER_NOT_FOUND', { player: uuid });
      return {};
    });
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Select ada' }));
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Select Grace' }));
    await fireEvent.keyDown(screen.getByRole('grid'), { key: 'Delete' });
    const dialog = await screen.findByRole('dialog', { name: 'Kick 2 players?' });
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Kick 2 players' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(bridge.askedFor('players.kick')).toHaveLength(2);
    expect(bridge.askedFor('players.kick')[0]).toMatchObject({ message: 'You were kicked by an admin.' });
  });

  it('sends a player to an open game server by keyboard', async () => {
    await open(network());
    await fireEvent.click(within(await menuOf('ada')).getByRole('menuitem', { name: /^Send ada/ }));
    const dialog = await screen.findByRole('dialog', { name: 'Send ada to a service' });
    // The options contain neither ada's current server, nor the service that is being replaced, nor the proxy.
    const options = within(dialog).getAllByRole('option');
    expect(options.map(({ textContent }) => textContent.replace(/\s+/g, ' ').trim())).toEqual([
      'lobby-2 50 / 50 full',
    ]);
    const input = within(dialog).getByRole('combobox', { name: 'Game server' });
    await fireEvent.input(input, { target: { value: 'lobby' } });
    expect(allUnsaved(), 'searched words are no unsaved text').toEqual([]);
    await fireEvent.keyDown(input, { key: 'Enter' });
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(bridge.askedFor('players.send')).toEqual([{ uuid: aPlayer('ada', 1).uuid, service: 'lobby-2' }]);
    await waitFor(() => expect(row('ada').textContent).toContain('lobby-2'));
  });

  it('sends no players before the user has chosen another service if the chosen service is not available any more', async () => {
    const world = network();
    world.services?.push(aService('lobby', 4));
    await open(world);
    await fireEvent.click(within(await menuOf('ada')).getByRole('menuitem', { name: /^Send ada/ }));
    const dialog = await screen.findByRole('dialog', { name: 'Send ada to a service' });
    const chosen = within(dialog).getByRole('option', { selected: true });
    const id = chosen.querySelector('.id')?.textContent;
    world.services = (world.services ?? []).filter((one) => one.id !== id);
    bridge.push('notification', { name: 'stale', params: { topics: ['services'] } });
    await waitFor(() => expect(chosen.isConnected).toBe(false));
    const other = within(dialog).getByRole('option', { selected: false });
    const send = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Send' });
    expect(send.disabled).toBe(true);
    const input = within(dialog).getByRole('combobox', { name: 'Game server' });
    await fireEvent.keyDown(input, { key: 'Enter' });
    expect(bridge.askedFor('players.send')).toEqual([]);
    await fireEvent.input(input, { target: { value: 'lobby' } });
    expect(other.ariaSelected).toBe('true');
    await fireEvent.keyDown(input, { key: 'Enter' });
    await waitFor(() => expect(bridge.askedFor('players.send')).toHaveLength(1));
  });

  it('keeps the dialog open with the reason if the target service accepts no players', async () => {
    await open(network());
    bridge.answerCall('players.send', () => {
      throw new OverworldError('SERVICE_NOT_JOINABLE', { service: 'lobby-2', why: 'it is stopping' });
    });
    await fireEvent.click(within(await menuOf('ada')).getByRole('menuitem', { name: /^Send ada/ }));
    const dialog = await screen.findByRole('dialog', { name: 'Send ada to a service' });
    expect(within(dialog).getByText('ada leaves lobby-1 and stays on proxy-1.')).toBeTruthy();
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Send to lobby-2' }));
    expect((await within(dialog).findByRole('alert')).textContent).toContain('it is stopping');
  });

  it.each([
    { act: 'players.kick', item: /^Kick ada/, dialog: 'Kick ada?', button: 'Kick ada' },
    { act: 'players.send', item: /^Send ada/, dialog: 'Send ada to a service', button: 'Send to lobby-2' },
  ] as const)(
    'reports that the proxy of the player cannot be reached: $act',
    async ({ act, item, dialog, button }) => {
      await open(network());
      bridge.answerCall(act, () => {
        throw new OverworldError('PLAYER_UNREACHABLE', { player: 'ada', proxy: 'proxy-1' });
      });
      await fireEvent.click(within(await menuOf('ada')).getByRole('menuitem', { name: item }));
      const shown = await screen.findByRole('dialog', { name: dialog });
      await fireEvent.click(within(shown).getByRole('button', { name: button }));
      expect((await within(shown).findByRole('alert')).textContent).toContain('proxy-1');
      expect(names()).toContain('ada');
      expect(toasts.list).toEqual([]);
    },
  );

  it('copies names and UUIDs, one per line', async () => {
    await open(network());
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Select ada' }));
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Select Grace' }));
    await fireEvent.keyDown(screen.getByRole('grid'), { key: 'c', ctrlKey: true });
    await waitFor(() => expect(copied[0]?.split('\n').sort()).toEqual(['Grace', 'ada']));
    await fireEvent.click(within(await menuOf('Linus')).getByRole('menuitem', { name: 'Copy UUID' }));
    await waitFor(() => expect(copied[1]).toBe(aPlayer('Linus', 3).uuid));
  });

  it("opens a player's server with Enter", async () => {
    await open(network());
    const grid = screen.getByRole('grid');
    await fireEvent.keyDown(grid, { key: 'Home' });
    await fireEvent.keyDown(grid, { key: 'Enter' });
    expect(route.address).toBe('services/lobby-1');
  });

  it('is visible to viewers, and explains why viewers cannot kick or send players', async () => {
    await open({ ...network(), role: 'viewer' });
    const menu = await menuOf('ada');
    for (const name of [/^Kick ada/, /^Send ada/]) {
      const item = within(menu).getByRole('menuitem', { name });
      expect(item.textContent).toContain('Your key has the role viewer');
    }
    expect(within(menu).getByRole('menuitem', { name: /^Copy name/ }).ariaDisabled).not.toBe('true');
    await fireEvent.keyDown(menu, { key: 'Escape' });
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Select ada' }));
    await fireEvent.keyDown(screen.getByRole('grid'), { key: 'Delete' });
    expect(screen.queryByRole('dialog', { name: /Kick/ })).toBeNull();
  });
});

describe('the empty list of players', () => {
  it.each([
    ['no proxy template', { templates: [], services: [] }, 'Players join through a proxy'],
    ['no running proxy', { services: [] }, 'No proxy is running'],
    [
      'no plugin that has reported',
      { services: [aService('proxy', 1)] },
      'No proxy has reported to the master',
    ],
    ['no player online', {}, 'No players online'],
  ])('shows the next step if there is %s', async (_name, rest: Partial<WindowWorld>, title) => {
    await open({ ...network(), players: [], ...rest });
    expect(await screen.findByRole('heading', { name: title })).toBeTruthy();
  });

  it('shows the join address', async () => {
    await open({ ...network(), players: [] });
    expect(await screen.findByText('198.51.100.7')).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: 'Copy join address' }));
    await waitFor(() => expect(copied).toEqual(['198.51.100.7']));
  });
});
