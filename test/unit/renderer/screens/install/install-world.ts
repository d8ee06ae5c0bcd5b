import { fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach } from 'vitest';
import ConnectionsScreen from '#renderer/screens/connections/ConnectionsScreen.svelte';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { connections } from '#renderer/stores/connection/connections.svelte.ts';
import { install } from '#renderer/stores/connection/install.svelte.ts';
import { toasts } from '#renderer/ui/overlay/toasts.svelte.ts';
import type { InstallJob } from '#shared/ipc/contract.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aConnection } from '#test/support/app/models.ts';
import { connectStores } from '../../support/open-screen.ts';
import { pretendLayout } from '../../support/pretend-layout.ts';
import { bridgeOver } from '../../support/window-world.ts';

/** A connection to a remote master. */
export const berlin = aConnection({
  ...{ id: 'b', kind: 'remote', name: 'Berlin', host: 'berlin.example', port: 2022, active: false },
});

let stops: (() => void)[];
let bridge: FakeBridge;

/** Gives each test of a file a bridge with two masters: the master of this computer, and a master named Berlin. */
export function useInstallWorld(): void {
  beforeEach(() => {
    stops = [pretendLayout({ width: 1200, height: 700 })];
    bridge = bridgeOver({})
      .answer('connections.list', () => [aConnection(), berlin])
      .answer('install.close', () => ({}));
    install.job = null;
    install.known = false;
    route.replace('connections');
  });
  afterEach(() => {
    for (const stop of stops.reverse()) stop();
    for (const { id } of toasts.list) toasts.close(id);
  });
}

/** Returns the bridge of the current test. */
export const theBridge = (): FakeBridge => bridge;

/** Opens the Connections screen at a route, while the main process has this job. */
export function open(job: InstallJob | null, ...at: readonly string[]): void {
  bridge.answer('install.job', () => job);
  route.replace('connections', ...at);
  stops.push(connectStores(bridge), connections.connect(), install.connect());
  render(ConnectionsScreen);
}

export const dialog = (name: string | RegExp) => screen.findByRole('dialog', { name });
export const button = (name: string | RegExp) => screen.findByRole<HTMLButtonElement>('button', { name });
export const field = (name: string | RegExp) => screen.findByLabelText<HTMLInputElement>(name);
export const type = async (name: string | RegExp, value: string) =>
  fireEvent.input(await field(name), { target: { value } });
export const click = async (name: string | RegExp) => fireEvent.click(await button(name));
