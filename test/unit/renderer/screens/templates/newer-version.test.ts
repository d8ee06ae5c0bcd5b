import { fireEvent, screen, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { anEvent, aTemplate } from '#test/support/app/models.ts';
import { bridgeOver, type WindowWorld } from '../../support/window-world.ts';
import { openLobbyPage } from './lobby-page.ts';

let close: () => void;
let bridge: FakeBridge;
let world: WindowWorld;

beforeEach(() => {
  world = { templates: [aTemplate('lobby')], events: [anEvent({ actor: 'bo' })] };
  bridge = bridgeOver(world);
  close = openLobbyPage(bridge);
});

afterEach(() => close());

const players = () => screen.findByRole<HTMLInputElement>('spinbutton', { name: 'Maximum players' });
const type = async (value: string) => fireEvent.input(await players(), { target: { value } });

/** Changes the template on the master, and tells the window that templates have changed. */
function receive(maxPlayers: number, configRevision: string): void {
  world.templates = [aTemplate('lobby', { maxPlayers }, { configRevision })];
  bridge.push('notification', { name: 'stale', params: { topics: ['templates'] } });
}

/** Waits until the bar of unsaved changes says that another person has saved the template. */
async function untilOutdated(): Promise<void> {
  const bar = await screen.findByRole('region', { name: 'Unsaved changes' });
  await waitFor(() => expect(bar.textContent).toContain('Changed by bo'));
}

describe('the editor of a template that another person has saved', () => {
  it('shows the newer values after the user has discarded the unsaved changes', async () => {
    await type('60');
    receive(80, 'r9');
    await untilOutdated();
    await fireEvent.click(screen.getByRole('button', { name: 'Discard' }));
    await waitFor(async () => expect((await players()).value).toBe('80'));
    expect(screen.queryByRole('region', { name: 'Unsaved changes' })).toBeNull();
  });

  it('shows the newer values after the user has typed the old value again', async () => {
    const before = (await players()).value;
    await type('60');
    receive(80, 'r9');
    await untilOutdated();
    await type(before);
    await waitFor(async () => expect((await players()).value).toBe('80'));
  });
});

describe('the editor of a template that is read again with other values and the same revision', () => {
  it('shows these values if nothing is unsaved', async () => {
    await players();
    receive(80, 'r1');
    await waitFor(async () => expect((await players()).value).toBe('80'));
  });

  it('keeps unsaved changes', async () => {
    await type('60');
    const asked = bridge.askedFor('templates.list').length;
    receive(80, 'r1');
    await waitFor(() => expect(bridge.askedFor('templates.list').length).toBeGreaterThan(asked));
    expect((await players()).value).toBe('60');
  });
});
