import { render, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, expect } from 'vitest';
import ServicesScreen from '#renderer/screens/services/ServicesScreen.svelte';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { serviceTable } from '#renderer/stores/app/table-view.svelte.ts';
import { services } from '#renderer/stores/services.svelte.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aService, aTemplate } from '#test/support/app/models.ts';
import { connectStores } from '../../support/open-screen.ts';
import { pretendLayout } from '../../support/pretend-layout.ts';
import { bridgeOver, type WindowWorld } from '../../support/window-world.ts';

/** Layout of the table before the first change. The app keeps the layout as long as the window exists. */
const usualTable = serviceTable.value;

/**
 * Resets the window before and after each test. Returns a function that opens the services screen with a network and
 * waits for its rows.
 */
export function setUpServices(): (world: WindowWorld) => Promise<FakeBridge> {
  let stops: (() => void)[] = [];
  beforeEach(() => {
    route.go('services');
    serviceTable.set(usualTable);
    stops = [pretendLayout({ width: 1280, height: 600 })];
  });
  afterEach(() => {
    for (const stop of stops.reverse()) stop();
  });
  return async (world) => {
    const bridge = bridgeOver(world);
    stops.push(connectStores(bridge));
    render(ServicesScreen);
    await waitFor(() => expect(services.list).toHaveLength(world.services?.length ?? 0));
    await waitFor(() => expect(ids()[0]).toBe(services.list[0]?.id));
    return bridge;
  };
}

/** Returns the rendered rows of services. */
export function rows(): HTMLElement[] {
  return within(screen.getByRole('grid', { name: 'Services' }))
    .getAllByRole('row')
    .filter((row) => row.dataset['service'] !== undefined);
}

/** Returns the ids of the rendered rows. */
export function ids(): string[] {
  return screen.queryByRole('grid') === null ? [] : rows().map((row) => row.dataset['service'] ?? '');
}

/** Returns the row of a service. Throws if it is not rendered. */
export function row(id: string): HTMLElement {
  const found = rows().find((one) => one.dataset['service'] === id);
  if (found === undefined) throw new Error(`no row ${id} among ${ids().join(', ')}`);
  return found;
}

/** A network with services in several states. */
export const mixed = (): WindowWorld => ({
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
