import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import ServicesScreen from '#renderer/screens/services/ServicesScreen.svelte';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { services } from '#renderer/stores/services.svelte.ts';
import { toasts } from '#renderer/ui/overlay/toasts.svelte.ts';
import type { Role } from '#shared/model/access/role.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aService, aTemplate } from '#test/support/app/models.ts';
import { connectStores } from '../support/open-screen.ts';
import { pretendLayout } from '../support/pretend-layout.ts';
import { bridgeOver, type WindowWorld } from '../support/window-world.ts';

const waits = {
  reason: 'HELD',
  message: 'Automation of lobby-3 is paused, so no rule starts it. Resume automation to let it start.',
  until: null,
} as const;

let stops: (() => void)[] = [];
let bridge: FakeBridge;

/** Opens the list with two running services, one of which is paused, and a paused service that does not run. */
async function open({
  role = 'owner',
  at = [],
}: { role?: Role; at?: readonly string[] } = {}): Promise<void> {
  const world: WindowWorld = {
    role,
    templates: [aTemplate('lobby', { minimumRunningServers: 2 })],
    services: [
      aService('lobby', 1),
      aService('lobby', 2, { held: true }),
      aService('lobby', 3, {
        state: 'REQUESTED',
        held: true,
        waiting: waits,
        node: null,
        address: null,
        pid: null,
      }),
    ],
  };
  bridge = bridgeOver(world);
  stops.push(connectStores(bridge));
  route.go('services', ...at);
  render(ServicesScreen);
  await waitFor(() => expect(services.list).toHaveLength(3));
  await waitFor(() => expect(bridge.askedFor('master.info')).not.toEqual([]));
}

function row(id: string): HTMLElement {
  const found = screen.getAllByRole('row').find((one) => one.dataset['service'] === id);
  if (found === undefined) throw new Error(`no row ${id}`);
  return found;
}

const shownIds = () => screen.getAllByRole('row').flatMap((one) => one.dataset['service'] ?? []);

async function menuOf(id: string): Promise<HTMLElement> {
  await fireEvent.contextMenu(row(id));
  return screen.findByRole('menu');
}

beforeEach(() => {
  stops = [pretendLayout({ width: 1200, height: 800 })];
  for (const { id } of toasts.list) toasts.close(id);
});
afterEach(() => {
  for (const stop of stops.reverse()) stop();
});

describe('the paused services in the app', () => {
  it('are marked with an explanation, and do not count as problems', async () => {
    await open();
    expect(within(row('lobby-1')).queryByText('Paused')).toBeNull();
    expect(within(row('lobby-2')).getByText('Paused').title).toContain('No rule starts or stops it');
    expect(within(row('lobby-2')).getByText('Empty')).toBeTruthy();
    expect(within(row('lobby-3')).getAllByText('Paused')).toHaveLength(1);
    expect(screen.getByRole('button', { name: 'Problems 0' })).toBeTruthy();
  });

  it('are found by the filter "Paused", whether they are running or not', async () => {
    await open();
    await fireEvent.click(screen.getByRole('button', { name: 'Paused 2' }));
    expect(shownIds()).toEqual(['lobby-2', 'lobby-3']);
    await fireEvent.click(screen.getByRole('button', { name: 'Empty 2' }));
    expect(shownIds()).toEqual(['lobby-1', 'lobby-2', 'lobby-3']);
  });

  it('are paused in the menu of a row, and can be resumed with "Undo"', async () => {
    await open();
    await fireEvent.click(
      within(await menuOf('lobby-1')).getByRole('menuitem', { name: 'Pause automation' }),
    );
    await waitFor(() => expect(within(row('lobby-1')).getByText('Paused')).toBeTruthy());
    expect(toasts.list.map(({ text }) => text)).toEqual(['Automation of service lobby-1 is paused']);
    toasts.list[0]?.action?.onselect();
    await waitFor(() => expect(within(row('lobby-1')).queryByText('Paused')).toBeNull());
    expect(bridge.askedFor('services.hold')).toEqual([
      { id: 'lobby-1', held: true },
      { id: 'lobby-1', held: false },
    ]);
  });

  it('are skipped if the user pauses several selected services', async () => {
    await open();
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Select all' }));
    const bar = screen.getByRole('group', { name: 'Selected services' });
    await fireEvent.click(within(bar).getByRole('button', { name: 'Pause automation' }));
    await waitFor(() => expect(bridge.askedFor('services.hold')).toEqual([{ id: 'lobby-1', held: true }]));
    await waitFor(() =>
      expect(within(bar).getByRole<HTMLButtonElement>('button', { name: 'Pause automation' }).disabled).toBe(
        true,
      ),
    );
    await fireEvent.click(within(bar).getByRole('button', { name: 'Resume automation' }));
    await waitFor(() => expect(bridge.askedFor('services.hold')).toHaveLength(4));
  });

  it('have an explanation in the details, and can be resumed there', async () => {
    await open({ at: ['lobby-3'] });
    const panel = await screen.findByRole('region', { name: 'lobby-3' });
    const notice = within(panel)
      .getByText(/^Automation is paused/)
      .closest<HTMLElement>('[role="status"]');
    if (notice === null) throw new Error('no notice');
    expect(notice.textContent).toContain('It does not start until automation is resumed.');
    expect(within(panel).getByText('Remove')).toBeTruthy();
    await fireEvent.click(within(notice).getByRole('button', { name: 'Resume automation of lobby-3' }));
    await waitFor(() => expect(bridge.askedFor('services.hold')).toEqual([{ id: 'lobby-3', held: false }]));
  });

  it('stay in the list after a stop, as the confirmation dialog says', async () => {
    await open();
    await fireEvent.click(within(await menuOf('lobby-2')).getByRole('menuitem', { name: /^Stop service/ }));
    const dialog = await screen.findByRole('dialog', { name: 'Stop service lobby-2?' });
    expect(dialog.textContent).toContain('Its automation is paused, so it stays in the list, still counts');
    expect(dialog.textContent).not.toContain('will start');
  });

  it('can be removed if they are not running', async () => {
    await open();
    const menu = await menuOf('lobby-3');
    expect(within(menu).getByRole('menuitem', { name: /^Kill service/ }).textContent).toContain(
      'Has no process',
    );
    await fireEvent.click(within(menu).getByRole('menuitem', { name: /^Remove service/ }));
    const dialog = await screen.findByRole('dialog', { name: 'Remove service lobby-3?' });
    expect(dialog.textContent).toContain('It is removed from the list and no longer counts.');
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Remove service' }));
    await waitFor(() => expect(bridge.askedFor('services.stop')).toEqual([{ id: 'lobby-3', kill: false }]));
  });

  it('cannot be changed by viewers', async () => {
    await open({ role: 'viewer', at: ['lobby-2'] });
    const more = await screen.findByRole('button', { name: 'More actions for lobby-2' });
    more.focus();
    await fireEvent.keyDown(more, { key: 'Enter' });
    const inDetails = await screen.findByRole('menuitem', { name: /^Resume automation/ });
    expect(inDetails.textContent).toContain('Your key has the role viewer');
    await fireEvent.keyDown(inDetails, { key: 'Escape' });
    await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
    const item = within(await menuOf('lobby-2')).getByRole('menuitem', { name: /^Resume automation/ });
    expect(item.textContent).toContain('Your key has the role viewer');
  });
});
