import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import ForeignServers from '#renderer/screens/nodes/ForeignServers.svelte';
import { foreignServers } from '#renderer/stores/foreign-servers.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ForeignServer } from '#shared/model/foreign-server.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { connectStores } from '../support/open-screen.ts';
import { bridgeOver, type WindowWorld } from '../support/window-world.ts';

const LOST = '1234abcd-0000-4000-8000-000000000001';
const OTHER = '99887766-0000-4000-8000-000000000002';

let stop: () => void = () => undefined;
let bridge: FakeBridge;

function aServer(name: string, rest: Partial<ForeignServer> = {}): ForeignServer {
  return {
    ...{ name, network: LOST, address: '203.0.113.7', type: 'cpx32', location: 'nbg1' },
    ...{ since: Date.now() - 3 * 86_400_000, hourlyPrice: 0.0321, deleting: false, ...rest },
  };
}

async function open(world: WindowWorld): Promise<void> {
  bridge = bridgeOver(world);
  stop = connectStores(bridge);
  render(ForeignServers);
  await waitFor(() => expect(foreignServers.value).toEqual(world.foreign));
}

const button = (name: string) => screen.findByRole<HTMLButtonElement>('button', { name });

beforeEach(() => {
  foreignServers.value = null;
});
afterEach(() => stop());

describe('servers of other networks in the same cloud project', () => {
  it('are not mentioned if no such servers exist', async () => {
    await open({ foreign: [] });
    expect(screen.queryByRole('list')).toBeNull();
    expect(screen.queryByText(/no access/)).toBeNull();
  });

  it('are listed by network, with address, type, age and cost', async () => {
    const names = ['ow-1234abcd-node-1', 'ow-1234abcd-node-2'];
    const other = aServer('ow-99887766-node-5', { network: OTHER, address: null, hourlyPrice: 0.05 });
    await open({ foreign: [...names.map((name) => aServer(name)), other] });
    expect(await screen.findByText('2 servers of network 1234abcd, €0.064 / h')).toBeTruthy();
    expect(screen.getByText('1 server of network 99887766, €0.050 / h')).toBeTruthy();
    const list = screen.getByRole('list', { name: `Servers of network ${LOST}` });
    const [first] = within(list).getAllByRole('listitem');
    for (const word of ['ow-1234abcd-node-1', '203.0.113.7', 'cpx32, nbg1', '3 d', '€0.032 / h']) {
      expect(first?.textContent).toContain(word);
    }
  });

  it('are deleted one by one after the user has typed the name of the server', async () => {
    await open({ foreign: [aServer('ow-1234abcd-node-1'), aServer('ow-1234abcd-node-2')] });
    await fireEvent.click(await button('Delete ow-1234abcd-node-2…'));
    const confirm = await button('Delete server');
    expect(confirm.disabled).toBe(true);
    const field = screen.getByLabelText('Type ow-1234abcd-node-2 to confirm');
    await fireEvent.input(field, { target: { value: '1234abcd' } });
    expect(confirm.disabled).toBe(true);
    await fireEvent.input(field, { target: { value: 'ow-1234abcd-node-2' } });
    await fireEvent.click(confirm);
    await waitFor(() =>
      expect(bridge.askedFor('nodes.deleteForeign')).toEqual([{ name: 'ow-1234abcd-node-2', network: LOST }]),
    );
    expect(await screen.findByText('being deleted')).toBeTruthy();
  });

  it('are all deleted after the user has typed the short id of the network', async () => {
    const names = ['ow-1234abcd-node-1', 'ow-1234abcd-node-2', 'ow-1234abcd-node-3'];
    const foreign = names.map((name, i) => aServer(name, { deleting: i === 1 }));
    await open({ foreign: [...foreign, aServer('ow-99887766-node-5', { network: OTHER })] });
    await fireEvent.click(await button('Delete all 2…'));
    await fireEvent.input(screen.getByLabelText('Type 1234abcd to confirm'), {
      target: { value: '1234abcd' },
    });
    await fireEvent.click(await button('Delete 2 servers'));
    await waitFor(() =>
      expect(bridge.askedFor('nodes.deleteForeign')).toEqual(
        ['ow-1234abcd-node-1', 'ow-1234abcd-node-3'].map((name) => ({ name, network: LOST })),
      ),
    );
  });

  it('are all tried even if some fail, and only the others are tried again', async () => {
    const names = ['ow-1234abcd-node-1', 'ow-1234abcd-node-2', 'ow-1234abcd-node-3'];
    const [gone, kept, last] = names;
    const world: WindowWorld = { foreign: names.map((name) => aServer(name)) };
    await open(world);
    bridge.answerCall('nodes.deleteForeign', ({ name }) => {
      if (name === gone) throw new OverworldError('NODE_NOT_FOUND', { node: name });
      if (name === kept)
        throw new OverworldError('RELEASE_REFUSED', {
          node: name,
          why: 'it is protected',
          advice: 'Remove the protection.',
        });
      world.foreign =
        world.foreign?.map((one) => (one.name === name ? { ...one, deleting: true } : one)) ?? [];
      return {};
    });
    await fireEvent.click(await button('Delete all 3…'));
    await fireEvent.input(screen.getByLabelText('Type 1234abcd to confirm'), {
      target: { value: '1234abcd' },
    });
    await fireEvent.click(await button('Delete 3 servers'));
    const tried = () => bridge.askedFor('nodes.deleteForeign');
    expect((await screen.findByRole('alert')).textContent).toContain('it is protected');
    expect(tried()).toMatchObject([gone, kept, last].map((name) => ({ name })));
    await waitFor(() => expect(foreignServers.value?.at(-1)?.deleting).toBe(true));
    await fireEvent.click(await button('Delete 3 servers'));
    await waitFor(() => expect(tried().slice(3)).toMatchObject([gone, kept].map((name) => ({ name }))));
  });

  it('can be deleted by owners only', async () => {
    await open({ foreign: [aServer('ow-1234abcd-node-1')], role: 'operator' });
    await waitFor(async () => expect((await button('Delete ow-1234abcd-node-1…')).disabled).toBe(true));
  });
});
