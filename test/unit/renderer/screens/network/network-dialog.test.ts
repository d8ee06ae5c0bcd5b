import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import NetworkDialog from '#renderer/screens/network/NetworkDialog.svelte';
import { allUnsaved } from '#renderer/stores/documents/unsaved.svelte.ts';
import { nodes } from '#renderer/stores/nodes.svelte.ts';
import { templates } from '#renderer/stores/templates.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Params } from '#shared/rpc/contract.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aNode, aTemplate } from '#test/support/app/models.ts';
import { connectStores } from '../../support/open-screen.ts';
import { pretendLayout } from '../../support/pretend-layout.ts';
import { bridgeOver, type WindowWorld } from '../../support/window-world.ts';

let stops: (() => void)[] = [];
let bridge: FakeBridge;

async function open(world: WindowWorld = {}): Promise<HTMLElement> {
  const whole = { templates: [aTemplate('lobby')], services: [], nodes: [aNode('local')], ...world };
  bridge = bridgeOver(whole);
  bridge.answerCall('templates.createAll', ({ templates: list }) => list.map(({ id }) => aTemplate(id)));
  stops.push(connectStores(bridge));
  render(NetworkDialog, { onclose: () => undefined });
  await waitFor(() => expect(templates.value).toEqual(whole.templates));
  await waitFor(() => expect(nodes.value).toEqual(whole.nodes));
  return screen.findByRole('dialog');
}

const type = (dialog: HTMLElement, name: string | RegExp, value: string) =>
  fireEvent.input(
    within(dialog).getByRole(/Players|Memory/.test(String(name)) ? 'spinbutton' : 'textbox', { name }),
    {
      target: { value },
    },
  );
const create = (dialog: HTMLElement) =>
  fireEvent.click(within(dialog).getByRole('button', { name: 'Create network' }));
// Returns the parameters of all calls that create a network.
const asked = () => bridge.askedFor('templates.createAll') as readonly Params<'templates.createAll'>[];

beforeEach(() => {
  stops = [pretendLayout({ width: 1200, height: 800 })];
});
afterEach(() => {
  for (const stop of stops.reverse()) stop();
});

describe('the form for a new network', () => {
  it('creates a network of practice servers with unused ids if the user enters nothing', async () => {
    const dialog = await open();
    expect(within(dialog).getByText('Id: lobby-2')).toBeTruthy();
    await create(dialog);
    await waitFor(() => expect(asked()).toHaveLength(1));
    expect(asked()[0]?.templates.map(({ id, software }) => [id, software.software])).toEqual([
      ['proxy', 'practice-proxy'],
      ['lobby-2', 'practice-server'],
      ['game', 'practice-server'],
    ]);
    expect(await screen.findByRole('dialog', { name: 'Your network is starting' })).toBeTruthy();
  });

  it('shows the mistake of each invalid field, and does not send the form', async () => {
    const dialog = await open();
    await type(dialog, 'Name of the game mode', '!!!');
    await type(dialog, 'Players at the same time', '0');
    await type(dialog, 'Memory of Proxy per service', '3');
    await create(dialog);
    expect(
      within(dialog)
        .getAllByRole('alert')
        .map(({ textContent }) => textContent),
    ).toEqual([
      'Enter 64 to 131072 MB.',
      'Use at least one letter from a to z or a digit.',
      expect.stringContaining('Enter a whole number from 1') as string,
    ]);
    expect(asked()).toEqual([]);
  });

  it('counts as unsaved from the first change until the network is created', async () => {
    const dialog = await open();
    expect(allUnsaved()).toEqual([]);
    await type(dialog, 'Players at the same time', '50');
    expect(allUnsaved()).toEqual(['form “Create a network”']);
    await create(dialog);
    await screen.findByRole('dialog', { name: 'Your network is starting' });
    expect(allUnsaved()).toEqual([]);
  });

  it('does not count as unsaved after the user has closed it', async () => {
    const dialog = await open();
    await type(dialog, 'Players at the same time', '50');
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(allUnsaved()).toEqual([]));
  });

  it('warns if the services need more RAM than the nodes have, or if the player limit is too low', async () => {
    const dialog = await open({ nodes: [aNode('local', { ram: { totalMb: 1024, allocatedMb: 0 } })] });
    expect(within(dialog).getByText('The first services need 1.5 GB RAM; 1 GB are free')).toBeTruthy();
    await type(dialog, 'Players at the same time', '5000');
    expect(await within(dialog).findByText(/^The network admits/)).toBeTruthy();
  });

  it('shows why the network was not created, and can be sent again', async () => {
    const dialog = await open();
    bridge.answerCall('templates.createAll', () => {
      throw new OverworldError('DISK_FULL', { path: '/x' });
    });
    await create(dialog);
    expect(await within(dialog).findByText('The network was not created')).toBeTruthy();
    bridge.answerCall('templates.createAll', ({ templates: list }) => list.map(({ id }) => aTemplate(id)));
    await create(dialog);
    expect(await screen.findByRole('dialog', { name: 'Your network is starting' })).toBeTruthy();
  });

  it('downloads Paper and Velocity first, but only if the user has accepted the EULA', async () => {
    const dialog = await open();
    bridge.answerCall('software.versions', () => [
      { version: '1.21.12-pre1', stable: false },
      { version: '1.21.11', stable: true },
    ]);
    bridge.answerCall('software.download', ({ software, version }) => ({
      software,
      version: version ?? '3.4.0-SNAPSHOT',
      build: '7',
    }));
    await fireEvent.click(within(dialog).getByRole('radio', { name: 'Paper and Velocity' }));
    const version = await within(dialog).findByRole<HTMLSelectElement>('combobox', {
      name: 'Minecraft version',
    });
    await waitFor(() => expect(version.value).toBe('1.21.11'));
    await create(dialog);
    expect((await within(dialog).findByRole('alert')).textContent).toContain('Accept the EULA');
    expect(bridge.askedFor('software.download')).toEqual([]);
    await fireEvent.click(within(dialog).getByRole('checkbox', { name: /accept the Minecraft EULA/ }));
    await create(dialog);
    await waitFor(() => expect(asked()).toHaveLength(1));
    expect(asked()[0]?.eula).toBe(true);
    expect(asked()[0]?.templates.map(({ software }) => software)).toEqual([
      { software: 'velocity', version: '3.4.0-SNAPSHOT', build: '7' },
      { software: 'paper', version: '1.21.11', build: '7' },
      { software: 'paper', version: '1.21.11', build: '7' },
    ]);
  });
});
