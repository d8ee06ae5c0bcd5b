import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import ConfigurationScreen from '#renderer/screens/configuration/ConfigurationScreen.svelte';
import OverviewScreen from '#renderer/screens/overview/OverviewScreen.svelte';
import { master } from '#renderer/stores/master.svelte.ts';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { services } from '#renderer/stores/services.svelte.ts';
import { templates } from '#renderer/stores/templates.svelte.ts';
import { playerEntry } from '#renderer/stores/player-entry.svelte.ts';
import { toasts } from '#renderer/ui/overlay/toasts.svelte.ts';
import { documentProblem } from '#shared/config/problem.ts';
import { toWire } from '#shared/errors/wire.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Link } from '#shared/ipc/contract.ts';
import type { PlayerEntry } from '#shared/model/player-entry.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import {
  aBalancer,
  aMasterDocument,
  aPlugin,
  aService,
  aTemplate,
  aPlayerEntry,
} from '#test/support/app/models.ts';
import { connectStores } from '../support/open-screen.ts';
import { pretendLayout } from '../support/pretend-layout.ts';
import { bridgeOver, type WindowWorld } from '../support/window-world.ts';

let stops: (() => void)[] = [];
let bridge: FakeBridge;

const foreign: PlayerEntry = aPlayerEntry({
  balancer: aBalancer({ state: 'foreign', addresses: [], entries: [] }),
  join: [{ host: '127.0.0.1', port: 25_577, via: 'proxy-1' }],
});

async function connected(world: WindowWorld, to: Partial<Link> = {}): Promise<void> {
  const whole = {
    templates: [aTemplate('proxy', { isProxy: true }), aTemplate('lobby', { isProxy: false })],
    services: [aService('proxy', 1, { plugin: aPlugin() })],
    ...world,
  };
  bridge = bridgeOver(whole).answerCall('balancer.adopt', () => aPlayerEntry());
  stops.push(connectStores(bridge, to));
  await waitFor(() => expect(playerEntry.value).toEqual(whole.playerEntry ?? aPlayerEntry()));
  await waitFor(() => expect(templates.value).toEqual(whole.templates));
  await waitFor(() => expect(services.list).toHaveLength(whole.services.length));
  await waitFor(() => expect(master.role).toBe(world.role ?? 'owner'));
}

async function overview(world: WindowWorld, at: readonly string[] = []): Promise<void> {
  await connected(world);
  route.go('overview', ...at);
  render(OverviewScreen);
}

const card = () => screen.findByRole('region', { name: 'Join address' });
const dialog = () => screen.findByRole('dialog', { name: 'Player entry' });
const trouble = () => screen.findByRole('region', { name: 'Problems' });

beforeEach(() => {
  playerEntry.value = null;
  stops = [pretendLayout({ width: 1200, height: 800 })];
});
afterEach(() => {
  for (const stop of stops.reverse()) stop();
});

describe('the player entry on the Overview screen', () => {
  it('consists of a single line while players can join', async () => {
    await overview({});
    const shown = await card();
    expect(within(shown).getByText('198.51.100.7')).toBeTruthy();
    expect(within(shown).getByText('through HAProxy to 1 proxy')).toBeTruthy();
    expect(within(shown).getByText('1 open')).toBeTruthy();
    expect(within(shown).getByText('3 plugins linked')).toBeTruthy();
    expect(within(shown).getByText('HAProxy works')).toBeTruthy();
    expect(screen.queryByRole('region', { name: 'Problems' })).toBeNull();
  });

  it('contains the address of a proxy if there is no HAProxy', async () => {
    await overview({
      playerEntry: aPlayerEntry({
        balancer: aBalancer({ state: 'absent', addresses: [], entries: [] }),
        join: [{ host: '127.0.0.1', port: 25_577, via: 'proxy-1' }],
      }),
    });
    const shown = await card();
    expect(within(shown).getByText('127.0.0.1:25577')).toBeTruthy();
    expect(within(shown).getByText('directly to proxy-1')).toBeTruthy();
    expect(within(shown).getByText('No HAProxy')).toBeTruthy();
    expect(screen.queryByRole('region', { name: 'Problems' })).toBeNull();
  });

  it('shows a problem with a link to the setting that solves it', async () => {
    const error = toWire(
      new OverworldError('LINK_ADDRESS_FOREIGN', { address: '203.0.113.9', own: '10.0.0.4' }),
    );
    await overview({ playerEntry: aPlayerEntry({ link: { listening: null, error, plugins: 0 } }) });
    const row = await trouble();
    expect(row.textContent).toContain('communication.hostname is 203.0.113.9');
    await fireEvent.click(within(row).getByRole('button', { name: 'Show in Configuration' }));
    expect(route.address).toBe('configuration/communication.hostname');
  });

  it('shows each join problem of a newer master whose reason the app does not know', async () => {
    const unknown = { reason: 'OTHER', fix: null, template: null } as const;
    const problems = ['The first one.', 'The second one.'].map((message) => ({ ...unknown, message }));
    await overview({ playerEntry: aPlayerEntry({ problems }) });
    const { textContent } = await trouble();
    for (const { message } of problems) expect(textContent).toContain(message);
  });

  it('combines all services with a silent plugin into one problem', async () => {
    const plugin = aPlugin({ state: 'silent' });
    await overview({
      services: [
        aService('proxy', 1, { plugin }),
        aService('lobby', 1, { plugin: aPlugin({ state: 'silent', platform: 'bukkit' }) }),
        // The plugin of a stopping service is not expected to report.
        aService('lobby', 2, { plugin, stopping: { since: 1, cause: 'unused', restart: false } }),
      ],
    });
    const row = await trouble();
    expect(within(row).getAllByText('Plugin silent')).toHaveLength(1);
    expect(row.textContent).toContain('and 1 other service');
  });
});

describe('the dialog about the player entry', () => {
  it('shows for each proxy its state and its connections in HAProxy', async () => {
    const entries = [
      { service: 'proxy-1', state: 'open', connections: 37 },
      { service: 'proxy-2', state: 'draining', connections: 4 },
      { service: 'proxy-3', state: 'unhealthy', connections: 0 },
    ] as const;
    await overview({ playerEntry: aPlayerEntry({ balancer: aBalancer({ entries: [...entries] }) }) }, [
      'player-entry',
    ]);
    const rows = within(await dialog()).getAllByRole('row');
    expect(rows.map(({ textContent }) => textContent.replace(/\s+/g, ' ').trim())).toEqual([
      expect.stringMatching(/Proxy.*State.*Connections/),
      expect.stringMatching(/proxy-1.*Open.*37/),
      expect.stringMatching(/proxy-2.*Draining.*4/),
      expect.stringMatching(/proxy-3.*Not answering.*0/),
    ]);
  });

  it('is shown if the master reports the same join address twice', async () => {
    const address = { host: '198.51.100.7', port: 25_565, via: 'balancer' as const };
    await overview({ playerEntry: aPlayerEntry({ join: [address, address] }) }, ['player-entry']);
    expect(within(await dialog()).getAllByText('198.51.100.7')).toHaveLength(2);
  });

  it('names the services whose plugin has not connected yet', async () => {
    const world = {
      services: [aService('proxy', 1, { plugin: null }), aService('proxy', 2, { plugin: aPlugin() })],
    };
    await overview(world, ['player-entry']);
    const unlinked = await within(await dialog()).findByText(/Not connected yet/);
    expect(unlinked.textContent).toContain('proxy-1');
    expect(unlinked.textContent).not.toContain('proxy-2');
    const error = toWire(
      new OverworldError('LINK_ADDRESS_FOREIGN', { address: '203.0.113.9', own: '10.0.1.1' }),
    );
    playerEntry.value = aPlayerEntry({ link: { listening: null, error, plugins: 0 } });
    await waitFor(() => expect(screen.queryByText(/Not connected yet/)).toBeNull());
  });

  it('shows the section that it offers to add to an existing HAProxy configuration', async () => {
    await overview({ playerEntry: foreign }, ['player-entry']);
    await fireEvent.click(
      within(await dialog()).getByRole('button', { name: 'Let Overworld manage its section' }),
    );
    const asked = await screen.findByRole('dialog', { name: 'Let Overworld manage its section?' });
    expect(asked.textContent).toContain('“# BEGIN OVERWORLD” and “# END OVERWORLD”');
    expect(asked.textContent).toContain('/etc/haproxy/haproxy.cfg');
    expect(asked.textContent).toContain('is not changed');
    expect(bridge.askedFor('balancer.adopt')).toEqual([]);
    await fireEvent.click(within(asked).getByRole('button', { name: 'Write the section' }));
    await waitFor(() => expect(playerEntry.value?.balancer.state).toBe('working'));
    expect(bridge.askedFor('balancer.adopt')).toEqual([{}]);
  });

  it('stays open with the reason if the HAProxy configuration cannot be changed', async () => {
    await overview({ playerEntry: foreign }, ['player-entry']);
    bridge.answerCall('balancer.adopt', () => {
      throw new OverworldError('BALANCER_CONFIG_UNUSABLE', {
        path: '/etc/haproxy/haproxy.cfg',
        why: 'line 12 is not understood',
      });
    });
    await fireEvent.click(
      within(await dialog()).getByRole('button', { name: 'Let Overworld manage its section' }),
    );
    const asked = await screen.findByRole('dialog', { name: 'Let Overworld manage its section?' });
    await fireEvent.click(within(asked).getByRole('button', { name: 'Write the section' }));
    expect((await within(asked).findByRole('alert')).textContent).toContain('line 12 is not understood');
  });

  it('lets only owners make changes', async () => {
    await overview({ playerEntry: foreign, role: 'operator' }, ['player-entry']);
    const button = within(await dialog()).getByRole<HTMLButtonElement>('button', {
      name: 'Let Overworld manage its section',
    });
    expect(button.disabled).toBe(true);
    expect(button.title).toBe('Your key has the role operator; this needs owner');
  });
});

describe('the player entry in the master configuration', () => {
  async function configuration(world: WindowWorld): Promise<void> {
    await connected(world);
    route.go('configuration');
    render(ConfigurationScreen);
    await screen.findByRole('textbox', { name: 'Configuration file' });
  }
  const field = (path: string): string =>
    document.querySelector(`[data-field="${path}"]`)?.textContent.replace(/\s+/g, ' ') ?? '';

  it('shows the values in use, and their effect', async () => {
    await configuration({});
    expect(field('balancer.config_path')).toContain('HAProxy works');
    expect(field('balancer.config_path')).toContain('1 open');
    expect(field('communication.port')).toContain('Running with 1510. 3 plugins linked.');
    expect(field('communication.hostname')).toContain('Running with 127.0.0.1.');
  });

  it('offers to manage the section in the HAProxy configuration', async () => {
    await configuration({ playerEntry: foreign });
    expect(field('balancer.config_path')).toContain('HAProxy is not managed');
    await fireEvent.click(screen.getByRole('button', { name: 'Let Overworld manage its section' }));
    expect(await screen.findByRole('dialog', { name: 'Let Overworld manage its section?' })).toBeTruthy();
  });

  /** A plugin link whose port is used by another program. */
  const portUsed = aPlayerEntry({
    link: {
      ...{ listening: null, plugins: 0 },
      error: toWire(
        new OverworldError('LINK_LISTEN_FAILED', {
          address: '127.0.0.1:1510',
          why: 'nginx (process 7) uses this port',
        }),
      ),
    },
  });

  it('offers a free port instead of a used port, and a restart of the master after the change', async () => {
    await connected({ playerEntry: portUsed });
    let document = aMasterDocument();
    bridge
      .answerCall('config.freePort', () => ({ port: 1512 }))
      .answerCall('config.get', () => document)
      .answerCall('config.update', ({ config }) => (document = { ...document, config: config as never }))
      .answer('connections.restartMaster', () => ({}));
    route.go('configuration');
    render(ConfigurationScreen);
    const notice = await screen.findByRole('alert');
    expect(notice.textContent).toContain('nginx (process 7) uses this port');
    await fireEvent.click(await screen.findByRole('button', { name: 'Use port 1512' }));
    await fireEvent.click(await screen.findByRole('button', { name: 'Restart master' }));
    expect(bridge.askedFor('config.update')).toMatchObject([{ config: { communication: { port: 1512 } } }]);
    const asked = await screen.findByRole('dialog', { name: 'Restart the master on this computer?' });
    await fireEvent.click(within(asked).getByRole('button', { name: 'Restart master' }));
    await waitFor(() => expect(bridge.askedFor('connections.restartMaster')).toHaveLength(1));
  });

  it('says for a master on a server that firewalls must let plugins through to the new port', async () => {
    await connected({ playerEntry: portUsed }, { kind: 'remote' });
    let document = aMasterDocument();
    bridge
      .answerCall('config.freePort', () => ({ port: 1512 }))
      .answerCall('config.get', () => document)
      .answerCall('config.update', ({ config }) => (document = { ...document, config: config as never }));
    route.go('overview', 'player-entry');
    render(OverviewScreen);
    await fireEvent.click(await within(await dialog()).findByRole('button', { name: 'Use port 1512' }));
    await fireEvent.click(await within(await dialog()).findByRole('button', { name: 'Restart master' }));
    const firewalls = /open port 1512 in the firewall of the master’s machine and in the provider’s firewall/;
    expect(toasts.list.at(-1)?.text).toMatch(firewalls);
    expect((await screen.findByRole('dialog', { name: 'Restart the master' })).textContent).toMatch(
      firewalls,
    );
  });

  it('does not save a free port while the file of the configuration is faulty, but opens the file', async () => {
    await connected({ playerEntry: portUsed });
    bridge
      .answerCall('config.freePort', () => ({ port: 1512 }))
      .answerCall('config.get', () =>
        aMasterDocument({ problems: [documentProblem('is not valid JSON', 1)] }),
      )
      .answerCall('config.update', () => aMasterDocument());
    route.go('overview', 'player-entry');
    render(OverviewScreen);
    await fireEvent.click(await within(await dialog()).findByRole('button', { name: 'Use port 1512' }));
    await waitFor(() => expect(route.parts).toEqual(['configuration', 'on-disk']));
    expect(bridge.askedFor('config.update')).toEqual([]);
  });

  it('shows why the plugin link is closed, beside the setting that is the cause', async () => {
    const error = toWire(
      new OverworldError('LINK_LISTEN_FAILED', { address: '127.0.0.1:1510', why: 'the port is in use' }),
    );
    await configuration({ playerEntry: aPlayerEntry({ link: { listening: null, error, plugins: 0 } }) });
    expect(field('communication.port')).toContain('the port is in use');
    expect(field('communication.hostname')).not.toContain('the port is in use');
  });
});
