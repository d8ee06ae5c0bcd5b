import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import NodesScreen from '#renderer/screens/nodes/NodesScreen.svelte';
import { nodes } from '#renderer/stores/nodes.svelte.ts';
import { route } from '#renderer/stores/app/route.svelte.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aCosts, aNode, aRental, aService, AT } from '#test/support/app/models.ts';
import { connectStores } from '../support/open-screen.ts';
import { pretendLayout } from '../support/pretend-layout.ts';
import { bridgeOver, type WindowWorld } from '../support/window-world.ts';

let stops: (() => void)[] = [];
let bridge: FakeBridge;

async function open(world: WindowWorld, ...where: string[]): Promise<void> {
  bridge = bridgeOver(world);
  stops.push(connectStores(bridge));
  route.replace('nodes', ...where);
  render(NodesScreen);
  await waitFor(() => expect(nodes.value).toEqual(world.nodes));
}

const grid = () => screen.findByRole('grid', { name: 'Nodes' });
const rented = (rest: Parameters<typeof aNode>[1] = {}) =>
  aNode('node-1', {
    rental: aRental({ since: Date.now() - 60_000, paidUntil: Date.now() + 2_520_000 }),
    location: 'nbg1',
    ...rest,
  });

beforeEach(() => {
  stops = [pretendLayout({ width: 1600, height: 800 })];
});
afterEach(() => {
  for (const stop of stops.reverse()) stop();
});

describe('the Nodes screen', () => {
  it('shows the type, the cost and the load of each node', async () => {
    await open({
      nodes: [aNode('local'), rented({ ram: { totalMb: 8192, allocatedMb: 4096 }, services: 1 })],
      services: [aService('lobby', 1, { node: 'node-1', state: 'IN_USE', players: { online: 7, max: 50 } })],
    });
    const row = within(await grid()).getByRole('row', { name: /node-1/ });
    for (const word of ['node-1', 'Ready', 'cpx32', 'nbg1', '42 m', '€0.031', '4 of 8 GB']) {
      expect(row.textContent).toContain(word);
    }
    expect(within(row).getAllByRole('gridcell').at(-1)?.textContent.trim()).toBe('7');
    expect(screen.getByText('2 nodes, €0.031 / h')).toBeTruthy();
    expect(screen.queryByText('No cloud nodes')).toBeNull();
  });

  it('explains that no provider is set up, and links to the settings of the provider', async () => {
    await open({ nodes: [aNode('local')] });
    expect(await screen.findByText(/No provider is set up/)).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: 'Set up a cloud provider' }));
    expect(route.parts).toEqual(['configuration', 'provider']);
  });

  it('explains that configure mode prevents orders of nodes', async () => {
    await open({ nodes: [aNode('local')], costs: aCosts({ canRent: true }) });
    expect(await screen.findByText(/Configure mode is on: until it is switched off/)).toBeTruthy();
  });

  it('shows a problem with the provider, and the step for which a node is waiting', async () => {
    const note = 'Installing Java.';
    await open({ nodes: [rented({ state: 'BOOTING', note })], trouble: 'The token is refused.' }, 'node-1');
    expect(await screen.findByText('The token is refused.')).toBeTruthy();
    expect(await screen.findByText(note)).toBeTruthy();
  });

  it('explains why a node that is needed is not ordered', async () => {
    const message = 'All types in nbg1 are sold out.';
    await open({ nodes: [rented()], noOrder: { reason: 'NO_OFFER', message, until: null } });
    expect(await screen.findByText(message)).toBeTruthy();
    expect(screen.getByText('Needed, but not ordered')).toBeTruthy();
  });

  it('filters nodes by words, and shows a message if no node matches', async () => {
    await open({ nodes: [aNode('local'), rented()] });
    await fireEvent.input(screen.getByRole('searchbox'), { target: { value: 'CPX nbg' } });
    await waitFor(async () => expect(within(await grid()).queryByText('local')).toBeNull());
    expect(within(await grid()).getByText('node-1')).toBeTruthy();
    await fireEvent.input(screen.getByRole('searchbox'), { target: { value: 'mars' } });
    expect(await screen.findByText('No node matches')).toBeTruthy();
  });

  it('does not change the order of the nodes while the pointer is on them, also after a filter', async () => {
    const using = (id: string, allocatedMb: number) => aNode(id, { ram: { totalMb: 8192, allocatedMb } });
    const world = { nodes: [using('node-1', 1024), using('node-2', 2048)] };
    await open(world);
    const ids = async () =>
      within(await grid())
        .getAllByRole('row')
        .map((row) => /node-\d/.exec(row.textContent)?.[0])
        .filter((id) => id !== undefined);
    await fireEvent.click(within(await grid()).getByRole('button', { name: /^RAM/ }));
    expect(await ids()).toEqual(['node-1', 'node-2']);
    const body = within(await grid())
      .getByText('node-1')
      .closest('tbody');
    if (body === null) throw new Error('no tbody');
    await fireEvent.pointerEnter(body);
    await fireEvent.input(screen.getByRole('searchbox'), { target: { value: 'node' } });
    world.nodes = [using('node-1', 4096), using('node-2', 2048)];
    bridge.push('notification', { name: 'stale', params: { topics: ['nodes'] } });
    await waitFor(async () =>
      expect(within(await grid()).getByRole('row', { name: /node-1/ }).textContent).toContain('4 of 8 GB'),
    );
    expect(await ids()).toEqual(['node-1', 'node-2']);
    await fireEvent.pointerLeave(body);
    expect(await ids()).toEqual(['node-2', 'node-1']);
  });
});

describe('the details of a node', () => {
  it('show services with an area in proportion to their RAM, and can be used with arrow keys', async () => {
    await open(
      {
        nodes: [aNode('local', { ram: { totalMb: 8192, allocatedMb: 2798 } })],
        services: [
          aService('lobby', 2),
          aService('lobby', 1, { state: 'IN_USE', players: { online: 3, max: 50 } }),
        ],
      },
      'local',
    );
    const map = await screen.findByRole('list', { name: /^RAM of local: 2 services, 5\.3 GB free$/ });
    const links = within(map).getAllByRole('link');
    const [first, second] = links;
    expect(links.map((link) => link.getAttribute('aria-label'))).toEqual([
      'lobby-1, Players online, 3 players, 1.4 GB',
      'lobby-2, Empty, 0 players, 1.4 GB',
    ]);
    expect(links.map(({ tabIndex }) => tabIndex)).toEqual([0, -1]);
    first?.focus();
    if (first !== undefined) await fireEvent.keyDown(first, { key: 'ArrowRight' });
    expect(document.activeElement).toBe(second);
    expect(second?.getAttribute('href')).toBe('#/services/lobby-2');
  });

  it("warn that services on the master's machine have the same rights as the master", async () => {
    await open({ nodes: [aNode('local'), rented()] }, 'local');
    expect(await screen.findByText(/can read the master’s keys/)).toBeTruthy();
    route.replace('nodes', 'node-1');
    await waitFor(() => expect(screen.queryByText(/can read the master’s keys/)).toBeNull());
  });

  it('show the progress of the order of the node', async () => {
    const ordered = {
      seq: 1,
      at: AT,
      kind: 'node.ordered' as const,
      subject: { type: 'node' as const, id: 'node-1' },
      template: null,
      actor: 'overworld',
      message: 'node-1 was ordered',
      cause: '85 % ≥ 80 %',
    };
    await open(
      { nodes: [rented({ state: 'BOOTING', since: Date.now() - 40_000 })], events: [ordered] },
      'node-1',
    );
    const steps = within(await screen.findByRole('list', { name: 'Progress of the order' }));
    await waitFor(() =>
      expect(steps.getAllByRole('listitem')[0]?.textContent).toMatch(/Ordered .*\d{2}:\d{2}/),
    );
    const [, booting, ready] = steps.getAllByRole('listitem');
    expect(booting?.getAttribute('aria-current')).toBe('step');
    expect(booting?.textContent).toMatch(/for 4\d s/);
    expect(ready?.textContent).toContain('to come');
  });

  it('release the node after a confirmation that names the consequences', async () => {
    await open({ nodes: [rented()], services: [aService('lobby', 1, { node: 'node-1' })] }, 'node-1');
    const button = within(await screen.findByRole('region', { name: 'node-1' })).getByRole('button', {
      name: 'Actions for node node-1',
    });
    button.focus();
    await fireEvent.keyDown(button, { key: 'Enter' });
    await fireEvent.click(
      within(await screen.findByRole('menu')).getByRole('menuitem', { name: 'Release node…' }),
    );
    const dialog = await screen.findByRole('dialog', { name: 'Release node node-1?' });
    expect(dialog.textContent).toContain('1 service is on it');
    expect(dialog.textContent).toContain('with everything on its disk');
    expect(dialog.textContent).toContain('paid for 42 m more');
    expect(bridge.askedFor('nodes.schedule')).toEqual([]);
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Release node' }));
    await waitFor(() => expect(bridge.askedFor('nodes.schedule')).toEqual([{ id: 'node-1', to: 'release' }]));
    expect(await screen.findByText(/It is released as soon as/)).toBeTruthy();
  });

  it('explain that only configure mode prevents the release of the node, and offer the release', async () => {
    const keep = {
      reason: 'CONFIGURE_MODE',
      message: 'It is lost, but stays while configure mode is on.',
    } as const;
    await open({ nodes: [rented({ state: 'LOST', keep })] }, 'node-1');
    const details = within(await screen.findByRole('region', { name: 'node-1' }));
    expect(details.getAllByText(/stays while configure mode is on/), 'shown once').toHaveLength(1);
    expect(details.queryByText('The master cannot reach it.'), 'the notice contains it already').toBeNull();
    await fireEvent.click(details.getByRole('button', { name: 'Release node-1…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Release node node-1?' });
    expect(dialog.textContent).toContain('Its server is deleted at the provider now');
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Release node' }));
    await waitFor(() => expect(bridge.askedFor('nodes.schedule')).toEqual([{ id: 'node-1', to: 'release' }]));
  });

  it('explain why services fail to start on the node, and offer another attempt', async () => {
    const backoff = {
      message: 'Starts of template lobby failed here; other nodes are used meanwhile. The disk is full.',
      until: Date.now() + 40_000,
    };
    await open({ nodes: [rented({ backoff })] }, 'node-1');
    const details = within(await screen.findByRole('region', { name: 'node-1' }));
    expect(details.getByText(backoff.message)).toBeTruthy();
    expect(details.getByText(/next try in/)).toBeTruthy();
    await fireEvent.click(details.getByRole('button', { name: 'Try again now' }));
    await waitFor(() => expect(bridge.askedFor('nodes.schedule')).toEqual([{ id: 'node-1', to: 'resume' }]));
  });
});
