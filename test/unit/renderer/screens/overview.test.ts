import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import OverviewScreen from '#renderer/screens/overview/OverviewScreen.svelte';
import { nodes } from '#renderer/stores/nodes.svelte.ts';
import { noOrder } from '#renderer/stores/no-order.svelte.ts';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { templates } from '#renderer/stores/templates.svelte.ts';
import { toasts } from '#renderer/ui/overlay/toasts.svelte.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { documentProblem } from '#shared/config/problem.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import type { JoinFix, JoinProblem } from '#shared/model/player-entry.ts';
import type { Wait, WaitReason } from '#shared/model/wait.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import {
  aCosts,
  aMasterDocument,
  aNode,
  aRental,
  aService,
  aTemplate,
  aPlayerEntry,
  AT,
} from '#test/support/app/models.ts';
import { connectStores } from '../support/open-screen.ts';
import { pretendLayout } from '../support/pretend-layout.ts';
import { bridgeOver, type WindowWorld } from '../support/window-world.ts';

const wait = (reason: WaitReason, message: string): Wait => ({ reason, message, until: null });

let stops: (() => void)[] = [];
let bridge: FakeBridge;

async function open(world: WindowWorld): Promise<void> {
  const whole = {
    templates: [aTemplate('lobby'), aTemplate('proxy')],
    services: [aService('lobby', 1)],
    nodes: [aNode('local')],
    ...world,
  };
  bridge = bridgeOver(whole);
  stops.push(connectStores(bridge));
  render(OverviewScreen);
  await waitFor(() => expect(nodes.value).toEqual(whole.nodes));
  await waitFor(() => expect(templates.value).toEqual(whole.templates));
  await waitFor(() => expect(noOrder.value).toEqual(world.noOrder ?? null));
}

function nodeRow(id: string): HTMLElement {
  const found = within(screen.getByRole('list', { name: /^Nodes/ }))
    .getAllByRole('listitem')
    .find((item) => item.dataset['node'] === id);
  if (found === undefined) throw new Error(`no row of node ${id}`);
  return found;
}

async function menuOf(id: string): Promise<HTMLElement> {
  const button = within(nodeRow(id)).getByRole('button', { name: `Actions for node ${id}` });
  button.focus();
  await fireEvent.keyDown(button, { key: 'Enter' });
  return screen.findByRole('menu');
}

const choose = async (id: string, name: string | RegExp) =>
  fireEvent.click(within(await menuOf(id)).getByRole('menuitem', { name }));

const trouble = () => screen.findByRole('region', { name: 'Problems' });

beforeEach(() => {
  route.go('overview');
  stops = [pretendLayout({ width: 1200, height: 800 })];
});
afterEach(() => {
  for (const stop of stops.reverse()) stop();
});

describe('the nodes on the Overview screen', () => {
  it('are only the ten fullest, with a link to all nodes', async () => {
    const many = Array.from({ length: 60 }, (_, n) =>
      aNode(`node-${n + 1}`, { ram: { totalMb: 1000, allocatedMb: n * 10 } }),
    );
    await open({ nodes: many });
    const list = screen.getByRole('list', { name: /^Nodes/ });
    const shown = within(list)
      .getAllByRole('listitem')
      .map(({ dataset }) => dataset['node']);
    expect(shown).toEqual(Array.from({ length: 10 }, (_, n) => `node-${60 - n}`));
    expect(screen.getByRole('link', { name: 'Show all 60' }).getAttribute('href')).toContain('nodes');
  });

  it('have a label with their state only if the state is unusual', async () => {
    await open({
      nodes: [
        aNode('local'),
        aNode('node-1', {
          state: 'DRAINING',
          locked: true,
          rental: aRental(),
          keep: { reason: 'LOCKED', message: 'Locked by anna.' },
        }),
        aNode('node-2', { held: true }),
      ],
    });
    expect(nodeRow('local').textContent).not.toContain('Ready');
    const row = nodeRow('node-1');
    expect(within(row).getByText('Draining').title).toContain('stop once they are empty');
    expect(within(row).getByText('Protected')).toBeTruthy();
    expect(row.textContent).toContain('cpx32 · €0.031 / h');
    expect(row.textContent).toContain('Locked by anna.');
    expect(within(nodeRow('node-2')).getByText('Paused')).toBeTruthy();
  });

  it('can be cordoned and paused in their menu', async () => {
    await open({});
    await choose('local', 'Stop new services');
    await waitFor(() => expect(within(nodeRow('local')).getByText('No new services')).toBeTruthy());
    await choose('local', 'Allow new services');
    await waitFor(() => expect(within(nodeRow('local')).queryByText('No new services')).toBeNull());
    await choose('local', 'Pause automation');
    await waitFor(() => expect(within(nodeRow('local')).getByText('Paused')).toBeTruthy());
    await choose('local', 'Resume automation');
    await waitFor(() => expect(within(nodeRow('local')).queryByText('Paused')).toBeNull());
    expect(bridge.askedFor('nodes.schedule')).toEqual([
      { id: 'local', to: 'cordon' },
      { id: 'local', to: 'resume' },
    ]);
  });

  it('can be protected from release if they are cloud nodes', async () => {
    await open({ nodes: [aNode('local'), aNode('node-1', { rental: aRental() })] });
    const menu = await menuOf('local');
    expect(within(menu).queryByRole('menuitem', { name: 'Protect from release' })).toBeNull();
    await fireEvent.keyDown(menu, { key: 'Escape' });
    await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
    await choose('node-1', 'Protect from release');
    await waitFor(() => expect(within(nodeRow('node-1')).getByText('Protected')).toBeTruthy());
    expect(bridge.askedFor('nodes.lock')).toEqual([{ id: 'node-1', locked: true }]);
  });

  it('stay in the same order while the pointer is on them', async () => {
    const ram = (allocatedMb: number) => ({ ram: { totalMb: 16_000, allocatedMb } });
    const world = { nodes: [aNode('node-1', ram(8000)), aNode('node-2', ram(4000))] };
    await open(world);
    const list = screen.getByRole('list', { name: /^Nodes/ });
    const shown = () =>
      within(list)
        .getAllByRole('listitem')
        .map(({ dataset }) => dataset['node']);
    await fireEvent.pointerEnter(list);
    bridge.answerCall('nodes.list', () => [aNode('node-1', ram(2000)), aNode('node-2', ram(4000))]);
    bridge.push('notification', { name: 'stale', params: { topics: ['nodes'] } });
    await waitFor(() => expect(nodeRow('node-1').textContent).toContain('2 of 15.6 GB'));
    expect(shown()).toEqual(['node-1', 'node-2']);
    await fireEvent.pointerLeave(list);
    expect(shown()).toEqual(['node-2', 'node-1']);
  });

  it('are drained after a confirmation that contains the number of services and players', async () => {
    const on = { node: 'node-1' };
    await open({
      nodes: [aNode('node-1', { rental: aRental() })],
      services: [
        aService('lobby', 1, { ...on, state: 'IN_USE', players: { online: 7, max: 50 } }),
        aService('lobby', 2, on),
      ],
    });
    await choose('node-1', 'Drain node…');
    const dialog = await screen.findByRole('dialog', { name: 'Drain node node-1?' });
    expect(dialog.textContent).toContain('2 services are on it; 1 of them is in use by 7 players.');
    expect(bridge.askedFor('nodes.schedule')).toEqual([]);
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Drain node' }));
    await waitFor(() => expect(within(nodeRow('node-1')).getByText('Draining')).toBeTruthy());
  });
});

describe('the problems on the Overview screen', () => {
  it('include missing services of a template, with a link to the setting that solves the problem', async () => {
    const unmet = { missing: 2, wait: wait('CAP_REACHED', 'maximumOnlineServers is 4, and 4 exist.') };
    await open({ templates: [aTemplate('lobby', {}, { unmet }), aTemplate('proxy')] });
    const card = await trouble();
    expect(card.textContent).toContain('maximumOnlineServers is 4, and 4 exist.');
    expect(card.textContent).toContain('2 services missing');
    await fireEvent.click(within(card).getByRole('button', { name: 'Raise maximum of lobby' }));
    expect(route.parts).toEqual(['templates', 'lobby', 'settings', 'maximumOnlineServers']);
  });

  it('link to the nodes if no node can run a service', async () => {
    const unmet = { missing: 1, wait: wait('NO_NODE', 'No node takes services.') };
    await open({ templates: [aTemplate('lobby', {}, { unmet }), aTemplate('proxy')] });
    await fireEvent.click(within(await trouble()).getByRole('button', { name: 'Show nodes' }));
    expect(route.parts).toEqual(['nodes']);
  });

  it('do not include paused templates', async () => {
    const unmet = { missing: 1, wait: wait('HELD', 'Automation of template lobby is paused.') };
    await open({ templates: [aTemplate('lobby', {}, { held: true, unmet }), aTemplate('proxy')] });
    expect(screen.queryByRole('region', { name: 'Problems' })).toBeNull();
    expect(screen.getByText('No problems')).toBeTruthy();
  });

  it('do not include before the first start that players cannot join yet', async () => {
    const problem: JoinProblem = {
      ...{ reason: 'NO_FALLBACK', fix: 'start-service', template: 'lobby' },
      message: 'Players who join have no service to go to: no fallback is running.',
    };
    await open({
      ...{ templates: [aTemplate('lobby')], services: [] },
      playerEntry: aPlayerEntry({ problems: [problem] }),
    });
    expect(await screen.findByText('Setting up')).toBeTruthy();
    expect(screen.queryByRole('region', { name: 'Problems' })).toBeNull();
  });

  it('are shown beside the first steps, if the first service fails before it has run', async () => {
    const eula = new OverworldError('EULA_NOT_ACCEPTED', { service: 'lobby-1', template: 'lobby' });
    const failure = { at: AT, error: toWire(eula), attempts: 1 };
    await open({
      templates: [aTemplate('lobby')],
      services: [aService('lobby', 1, { state: 'REQUESTED', failure })],
    });
    expect(await screen.findByRole('heading', { name: 'Three steps to your first service' })).toBeTruthy();
    expect((await trouble()).textContent).toContain('the Minecraft EULA is not accepted');
    await fireEvent.click(screen.getByRole('link', { name: '1 problem' }));
    expect(document.activeElement?.contains(await trouble())).toBe(true);
  });

  it('include the reason why no node is ordered, with a button that ends configure mode', async () => {
    await open({ noOrder: wait('CONFIGURE_MODE', 'A node is wanted, but configure_mode is on.') });
    const config = masterConfigSchema.parse({});
    bridge.answerCall('config.get', () => aMasterDocument({ config }));
    bridge.answerCall('config.update', () => aMasterDocument({ config, configRevision: 'm2' }));
    const card = await trouble();
    expect(card.textContent).toContain('A node is wanted, but configure_mode is on.');
    await fireEvent.click(within(card).getByRole('button', { name: 'Switch configure mode off' }));
    const dialog = await screen.findByRole('dialog', { name: 'Switch configure mode off?' });
    expect(dialog.textContent).toContain('costs money');
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Switch configure mode off' }));
    await waitFor(() =>
      expect(bridge.askedFor('config.update')).toEqual([
        { config: { ...config, provider: { ...config.provider, configure_mode: false } }, basedOn: 'm1' },
      ]),
    );
  });

  it('do not end configure mode while the file of the configuration is faulty, but lead to the file', async () => {
    await open({ noOrder: wait('CONFIGURE_MODE', 'A node is wanted, but configure_mode is on.') });
    bridge
      .answerCall('config.get', () => aMasterDocument({ problems: [documentProblem('is not valid JSON')] }))
      .answerCall('config.update', () => aMasterDocument());
    const card = await trouble();
    await fireEvent.click(within(card).getByRole('button', { name: 'Switch configure mode off' }));
    const dialog = await screen.findByRole('dialog', { name: 'Switch configure mode off?' });
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Switch configure mode off' }));
    await waitFor(() => expect(route.parts).toEqual(['configuration', 'on-disk']));
    expect(toasts.list.at(-1)?.text).toContain('Nothing was changed, because config/master.json is faulty');
    expect(bridge.askedFor('config.update')).toEqual([]);
  });
});

describe('the problems on the Overview screen that prevent players from joining', () => {
  const openWith = async (problem: JoinProblem): Promise<HTMLElement> => {
    await open({ playerEntry: aPlayerEntry({ problems: [problem] }) });
    return trouble();
  };

  it('determine the status badge, and contain a button that starts the missing service', async () => {
    const card = await openWith({
      ...{ reason: 'NO_FALLBACK', fix: 'start-service', template: 'lobby' },
      message: 'Players who join have no service to go to: no fallback is running.',
    });
    expect(screen.getByText('Players cannot join')).toBeTruthy();
    expect(screen.queryByText('No problems')).toBeNull();
    expect(card.textContent).toContain('no fallback is running');
    bridge.answerCall('services.start', () => ({ id: 'lobby-2' }));
    await fireEvent.click(within(card).getByRole('button', { name: 'Start service of lobby' }));
    await waitFor(() => expect(bridge.askedFor('services.start')).toEqual([{ template: 'lobby' }]));
  });

  it.each<[JoinFix, string, string[]]>([
    ['create-proxy', 'Create proxy template', ['templates', '+new', 'proxy']],
    ['create-fallback', 'Create lobby template', ['templates', '+new', 'lobby']],
    ['make-fallback', 'Make lobby a fallback', ['templates', 'lobby', 'settings', 'isFallback']],
    ['raise-maximum', 'Raise maximum of lobby', ['templates', 'lobby', 'settings', 'maximumOnlineServers']],
    ['files', 'Open files of lobby', ['files', 'templates', 'lobby']],
    ['services', 'Show services of lobby', ['templates', 'lobby', 'services']],
    ['raise-limit', 'Raise player limit', ['configuration', 'max_online_players']],
    ['open-firewall', 'Add firewall rule', ['configuration', 'firewall_rules']],
    ['player-entry', 'Show player entry', ['overview', 'player-entry']],
  ])('contain a link to the remedy: %s', async (fix, name, to) => {
    const card = await openWith({ ...{ reason: 'NO_FALLBACK', fix, template: 'lobby' }, message: 'Why.' });
    await fireEvent.click(within(card).getByRole('button', { name }));
    expect(route.parts).toEqual(to);
  });

  it('get the focus when the user clicks the status badge', async () => {
    const card = await openWith({
      ...{ reason: 'NO_PROXY', fix: 'start-service', template: 'proxy' },
      message: 'Players cannot join: no proxy is running.',
    });
    await fireEvent.click(screen.getByRole('link', { name: 'Players cannot join' }));
    expect(document.activeElement?.contains(card)).toBe(true);
  });

  it('contain no button while the missing service is starting', async () => {
    const card = await openWith({
      ...{ reason: 'NO_PROXY', fix: null, template: 'proxy' },
      message: 'Players cannot join: no proxy is running. proxy-1 is starting.',
    });
    expect(screen.getByText('Players cannot join yet')).toBeTruthy();
    expect(within(card).queryByRole('button')).toBeNull();
  });
});

describe('the charts on the Overview screen', () => {
  it('share one cursor, and show the newest values while there is no cursor', async () => {
    await open({});
    const charts = within(await screen.findByRole('group', { name: 'Charts' }));
    const sliders = charts.getAllByRole('slider');
    expect(sliders.map((slider) => slider.getAttribute('aria-label'))).toEqual([
      'Players over time',
      'Services over time',
      'RAM over time',
    ]);
    const [players, , ram] = sliders as [HTMLElement, HTMLElement, HTMLElement];
    expect(players.getAttribute('aria-valuetext')).toMatch(/players, 100 limit$/);
    await fireEvent.keyDown(players, { key: 'Home' });
    expect(ram.getAttribute('aria-valuetext')).toMatch(/: no data$/);
    await fireEvent.keyDown(ram, { key: 'End' });
    expect(players.getAttribute('aria-valuenow')).toBe('60');
    await fireEvent.keyDown(ram, { key: 'PageUp' });
    expect(players.getAttribute('aria-valuenow')).toBe('50');
    await fireEvent.blur(ram);
    expect(players.getAttribute('aria-valuenow')).toBe('60');
  });

  it('are loaded again for another time span, which the app remembers', async () => {
    await open({});
    await fireEvent.click(await screen.findByRole('radio', { name: '7 d' }));
    await waitFor(() => expect(bridge.askedFor('history.get')).toContainEqual({ range: '7d' }));
    expect(bridge.askedFor('app.remember')).toContainEqual({ key: 'overview.range', value: '7d' });
    await waitFor(() => expect(screen.getAllByRole('slider')[0]?.getAttribute('aria-valuemax')).toBe('168'));
    await fireEvent.click(screen.getByRole('radio', { name: '1 h' }));
  });

  it('are also available as a table', async () => {
    await open({});
    await fireEvent.click(await screen.findByRole('button', { name: 'Show as table' }));
    const dialog = within(await screen.findByRole('dialog', { name: /^The last hour as a table/ }));
    expect(dialog.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
      'From',
      'Players',
      'Players: limit',
      'Services: up',
      'Services: all',
      'RAM: allocated',
      'RAM: total',
    ]);
    // Intervals without data are omitted.
    expect(dialog.getAllByRole('row').length).toBeLessThan(61);
  });
});

describe('the costs of nodes on the Overview screen', () => {
  it('are shown if there are cloud nodes or if nodes can be ordered', async () => {
    await open({ costs: aCosts({ canRent: true, perHour: 0.0312, month: 4.5, rentedNodes: 1 }) });
    expect(await screen.findByText('€0.031 / h')).toBeTruthy();
    expect(await screen.findByText(/orders a node at 80 %/)).toBeTruthy();
    expect(screen.queryByText('No cloud nodes')).toBeNull();
  });

  it('are replaced by a short text if no cloud node can be ordered', async () => {
    await open({});
    expect(await screen.findByText('No cloud nodes')).toBeTruthy();
    expect(screen.queryByText(/orders a node at/)).toBeNull();
  });
});

describe('the number of players on the Overview screen', () => {
  const figure = () => screen.getByRole('group', { name: 'Players' });

  it('is shown next to the player limit', async () => {
    await open({ online: 37 });
    await waitFor(() => expect(figure().textContent).toContain('37 / 100'));
  });

  it('is shown as unknown, not as 0, until the master knows it', async () => {
    await open({ online: null });
    expect(figure().textContent).toContain('Not known yet');
    expect(figure().textContent).not.toContain('0 /');
  });
});
