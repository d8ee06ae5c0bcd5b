import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import FilesTab from '#renderer/screens/templates/FilesTab.svelte';
import SettingsTab from '#renderer/screens/templates/SettingsTab.svelte';
import Consoles from '#renderer/screens/services/console/Consoles.svelte';
import ServicesScreen from '#renderer/screens/services/ServicesScreen.svelte';
import VolumeTable from '#renderer/screens/templates/data/VolumeTable.svelte';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { consoleTabs, tabKey, type ConsoleTab } from '#renderer/stores/console/console-tabs.svelte.ts';
import { master } from '#renderer/stores/master.svelte.ts';
import { services } from '#renderer/stores/services.svelte.ts';
import { templates } from '#renderer/stores/templates.svelte.ts';
import { volumes } from '#renderer/stores/volumes.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aService, aTemplate, aVolume, AT } from '#test/support/app/models.ts';
import { connectStores } from '../support/open-screen.ts';
import { pretendLayout } from '../support/pretend-layout.ts';
import { bridgeOver } from '../support/window-world.ts';

const OUTSIDE = 'Your key is only for the template lobby.';
const arena = aTemplate('arena');
const failure = { at: AT, error: toWire(new OverworldError('DISK_FULL', { path: '/srv' })), attempts: 1 };

let stops: (() => void)[] = [];
let bridge: FakeBridge;

/** Calls about a service, a template or a volume. The master writes each refused call to its security log. */
const READS = [
  ...(['services.followLog', 'services.unfollowLog', 'services.failureLog', 'services.keptFiles'] as const),
  ...(['templates.revisions', 'volumes.saves'] as const),
] as const;

function reads(): readonly unknown[] {
  return READS.flatMap((name) => bridge.askedFor(name));
}

describe('a key that is limited to template lobby', () => {
  beforeEach(async () => {
    stops = [pretendLayout({ width: 1280, height: 600 })];
    bridge = bridgeOver({
      ...{ role: 'operator', keyTemplates: ['lobby'], templates: [aTemplate('lobby'), arena] },
      services: [aService('lobby', 1), aService('arena', 1, { failure })],
      volumes: [aVolume('arena/1', { saves: 2 })],
    });
    stops.push(connectStores(bridge));
    await waitFor(() => expect(master.limit).toEqual(['lobby']));
    await waitFor(() => expect(services.get('arena-1')).toBeTruthy());
    await waitFor(() => expect(templates.get('arena')).toBeTruthy());
  });
  afterEach(() => {
    cleanup();
    for (const { kind, id } of consoleTabs.list) consoleTabs.close(tabKey({ kind, id }));
    for (const stop of stops.reverse()) stop();
    volumes.value = null;
  });

  it.each(['console', 'details'])(
    'reads no logs of a service of another template for the tab %s, and says why',
    async (tab) => {
      route.go('services', 'arena-1', tab);
      render(ServicesScreen);
      expect(await screen.findByText(OUTSIDE)).toBeTruthy();
      cleanup();
      expect(reads()).toEqual([]);
    },
  );

  it.each<ConsoleTab>([
    { kind: 'service', id: 'arena-1' },
    { kind: 'template', id: 'arena' },
  ])('follows no log of another template in the tab of a $kind, and says why', async (tab) => {
    consoleTabs.open(tab);
    render(Consoles);
    expect(await screen.findByText(OUTSIDE)).toBeTruthy();
    cleanup();
    expect(reads()).toEqual([]);
  });

  it('follows the log of a service of its own template', async () => {
    route.go('services', 'lobby-1', 'console');
    render(ServicesScreen);
    await waitFor(() => expect(bridge.askedFor('services.followLog')).toMatchObject([{ id: 'lobby-1' }]));
    expect(screen.queryByText(OUTSIDE)).toBeNull();
  });

  it('follows the log of a service after an owner has extended the limit of the key', async () => {
    route.go('services', 'arena-1', 'console');
    render(ServicesScreen);
    await screen.findByText(OUTSIDE);
    if (master.value !== null)
      master.value = { ...master.value, you: { ...master.value.you, templates: null } };
    await waitFor(() => expect(bridge.askedFor('services.followLog')).toMatchObject([{ id: 'arena-1' }]));
  });

  it('cannot start a service of another template, and sees why', async () => {
    render(ServicesScreen);
    const start = screen.getByRole('button', { name: 'Start service' });
    start.focus();
    await fireEvent.keyDown(start, { key: 'Enter' });
    const menu = within(await screen.findByRole('menu'));
    const item = (name: RegExp) => menu.getByRole('menuitem', { name });
    expect(item(/^arena/).ariaDisabled).toBe('true');
    expect(item(/^arena/).textContent).toContain('Your key is only for the template lobby');
    expect(item(/^lobby/).ariaDisabled).not.toBe('true');
  });

  it('stops services with the Delete key only if all of them are of its own template', async () => {
    render(ServicesScreen);
    const grid = screen.getByRole('grid');
    for (const id of ['lobby-1', 'arena-1'])
      await fireEvent.click(screen.getByRole('checkbox', { name: `Select ${id}` }));
    await fireEvent.keyDown(grid, { key: 'Delete' });
    expect(screen.queryByRole('dialog')).toBeNull();
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Select arena-1' }));
    await fireEvent.keyDown(grid, { key: 'Delete' });
    expect(await screen.findByRole('dialog', { name: 'Stop service lobby-1?' })).toBeTruthy();
  });

  it('cannot open consoles of another template', async () => {
    render(Consoles);
    const open = screen.getByRole('button', { name: 'Open console' });
    open.focus();
    await fireEvent.keyDown(open, { key: 'Enter' });
    const menu = within(await screen.findByRole('menu'));
    const isDisabled = (name: RegExp) => menu.getByRole('menuitem', { name }).getAttribute('aria-disabled');
    expect([isDisabled(/^Merged log of arena/), isDisabled(/^arena-1/)]).toEqual(['true', 'true']);
    expect([isDisabled(/^Merged log of lobby/), isDisabled(/^lobby-1/)]).not.toContain('true');
  });

  it('reads no revisions of another template, and says why', async () => {
    render(FilesTab, { template: arena, services: [] });
    await fireEvent.click(screen.getByRole('button', { name: 'Revisions' }));
    expect((await screen.findByRole('dialog', { name: 'Revisions of arena' })).textContent).toContain(
      OUTSIDE,
    );
    expect(reads()).toEqual([]);
  });

  it('sees the settings of another template read only, and why', async () => {
    render(SettingsTab, { template: arena, services: [] });
    expect((await screen.findByText(OUTSIDE)).parentElement?.textContent).toContain('Read only');
    expect(screen.getByLabelText<HTMLInputElement>('Name').disabled).toBe(true);
    cleanup();
    render(SettingsTab, { template: aTemplate('lobby'), services: [] });
    expect(screen.getByLabelText<HTMLInputElement>('Name').disabled).toBe(false);
    expect(screen.queryByText('Read only')).toBeNull();
  });

  it('reads no saves of a volume of another template, and says why', async () => {
    const volume = aVolume('arena/1', { saves: 2 });
    volumes.value = [volume];
    render(VolumeTable, { template: 'arena', volumes: [volume] });
    await fireEvent.click(await screen.findByRole('button', { name: '2 saves of arena/1' }));
    expect((await screen.findByRole('dialog', { name: 'Saves of arena/1' })).textContent).toContain(OUTSIDE);
    expect(reads()).toEqual([]);
  });
});
