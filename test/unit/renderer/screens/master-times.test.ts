import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import OfflineBar from '#renderer/frame/OfflineBar.svelte';
import ActivityScreen from '#renderer/screens/activity/ActivityScreen.svelte';
import NodeFacts from '#renderer/screens/nodes/NodeFacts.svelte';
import DrainNotice from '#renderer/screens/services/DrainNotice.svelte';
import VolumeDialogs from '#renderer/screens/templates/data/VolumeDialogs.svelte';
import { link } from '#renderer/stores/connection/link.svelte.ts';
import { services } from '#renderer/stores/services.svelte.ts';
import { volumes } from '#renderer/stores/volumes.svelte.ts';
import RelativeTime from '#renderer/ui/RelativeTime.svelte';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aLink, aNode, anEvent, aRental, aService, AT, aVolume } from '#test/support/app/models.ts';
import { connectStores } from '../support/open-screen.ts';
import { pretendLayout } from '../support/pretend-layout.ts';
import { bridgeOver, type WindowWorld } from '../support/window-world.ts';

const MINUTE = 60_000;

let stops: (() => void)[] = [];
let bridge: FakeBridge;

/** Connects to a master whose clock differs from the app's clock, which shows {@link AT}. */
async function connect(clockOffsetMs: number, world: WindowWorld = {}): Promise<void> {
  bridge = bridgeOver(world);
  stops.push(connectStores(bridge, { clockOffsetMs }));
  await waitFor(() => expect(link.value?.clockOffsetMs).toBe(clockOffsetMs));
  await waitFor(() => expect(services.readAt).toBe(AT));
}

/** Returns a service that stops at the latest five minutes after a time of the master (ms since epoch). */
const aDrain = (masterNow: number) =>
  aService('lobby', 1, { draining: { since: masterNow, cause: 'by anna', until: masterNow + 5 * MINUTE } });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: AT });
  services.readAt = null;
  stops = [pretendLayout({ width: 1200, height: 800 }), () => void vi.useRealTimers()];
});
afterEach(() => {
  for (const stop of stops.reverse()) stop();
});

describe('times of a master whose clock is 10 min behind', () => {
  const masterNow = AT - 10 * MINUTE;

  it('are counted down by the clock of the master', async () => {
    await connect(-10 * MINUTE);
    render(DrainNotice, { service: aDrain(masterNow) });
    expect(screen.getByText(/or in 5 m\.$/)).toBeTruthy();
    const rental = aRental({ since: masterNow - 18 * MINUTE, paidUntil: masterNow + 42 * MINUTE });
    render(NodeFacts, { node: aNode('node-1', { rental }) });
    expect(screen.getByText('42 m more')).toBeTruthy();
    expect(screen.getByText('18 m')).toBeTruthy();
  });

  it('are counted down in the same way while the app is offline', async () => {
    await connect(-10 * MINUTE);
    render(DrainNotice, { service: aDrain(masterNow) });
    render(OfflineBar);
    const retryAt = AT + 12_000;
    bridge.push('link', aLink({ status: 'waiting', clockOffsetMs: -10 * MINUTE, retryAt }));
    await waitFor(() => expect(link.lostAt).toBe(AT));
    expect(await screen.findByText('Retries in 12 s')).toBeTruthy();
    expect(screen.getByText(/Data is a few seconds old/)).toBeTruthy();
    expect(screen.getByText(/or in 5 m\.$/)).toBeTruthy();
  });

  it('are shown with their age, in contrast to times of this computer', async () => {
    await connect(-10 * MINUTE);
    render(RelativeTime, { at: masterNow - 2 * MINUTE });
    expect(screen.getByText('2 m ago')).toBeTruthy();
    render(RelativeTime, { at: AT - 3 * MINUTE, local: true });
    expect(screen.getByText('3 m ago')).toBeTruthy();
  });

  it('belong to the last hour if they are in the last hour of the master', async () => {
    await connect(-10 * MINUTE, { events: [anEvent()] });
    render(ActivityScreen);
    await fireEvent.change(screen.getByRole('combobox', { name: 'Time' }), { target: { value: '1h' } });
    const from = masterNow - 60 * MINUTE;
    await waitFor(() => expect(bridge.askedFor('activity.list').at(-1)).toMatchObject({ from }));
  });
});

it('the dialog that accepts a loss names the whole time since the last save on a master 10 min ahead', async () => {
  const savedAt = AT + 10 * MINUTE - 25 * MINUTE;
  const attached = { service: 'survival-1', node: 'node-1', since: AT - 60 * MINUTE, savedAt };
  await connect(10 * MINUTE, { volumes: [aVolume('survival/1', { attached })] });
  await volumes.refresh();
  const question = { kind: 'accept-loss', id: 'survival/1' } as const;
  render(VolumeDialogs, { question, onask: () => undefined, onclose: () => undefined });
  expect(await screen.findByText(/up to 25 min\./)).toBeTruthy();
});
