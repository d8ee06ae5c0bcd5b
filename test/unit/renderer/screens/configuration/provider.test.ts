import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import ConfigurationScreen from '#renderer/screens/configuration/ConfigurationScreen.svelte';
import { masterDraft } from '#renderer/stores/documents/drafts.svelte.ts';
import { masterConfig } from '#renderer/stores/documents/master-config.svelte.ts';
import { providerTest } from '#renderer/stores/provider-test.svelte.ts';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { toasts } from '#renderer/ui/overlay/toasts.svelte.ts';
import { masterConfigSchema, type MasterConfig } from '#shared/config/master.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { OrderPreview, ProviderProject } from '#shared/model/provider.ts';
import type { Result } from '#shared/rpc/contract.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aProject } from '#test/support/app/models.ts';
import { connectStores } from '../../support/open-screen.ts';
import { pretendLayout } from '../../support/pretend-layout.ts';
import { bridgeOver } from '../../support/window-world.ts';

const TOKEN = 'fresh-token';

let stops: (() => void)[] = [];
let bridge: FakeBridge;
let stored: MasterConfig;
/** Error of the test of a token. Null if the token passes the test. */
let refusal: OverworldError | null;
let project: ProviderProject;
let preview: OrderPreview;

/** Returns the configuration as the master does, with a masked token if a token is stored. */
function told(): Result<'config.get'> {
  const { provider } = stored;
  const api_token = provider.api_token === '<API_TOKEN>' ? provider.api_token : '••••';
  return {
    config: { ...stored, provider: { ...provider, api_token } },
    configRevision: JSON.stringify(stored).length.toString(),
    problems: [],
    running: stored.communication,
    onDisk: null,
  };
}

/** Opens a tab of the screen with this configuration. */
function open(tab: readonly string[], config: object = {}): void {
  stored = masterConfigSchema.parse(config);
  bridge = bridgeOver({})
    .answerCall('config.get', told)
    .answerCall('config.update', ({ config: value }) => {
      stored = value as MasterConfig;
      return told();
    })
    .answerCall('provider.test', () => {
      if (refusal !== null) throw refusal;
      return project;
    })
    .answerCall('provider.preview', () => preview);
  stops.push(connectStores(bridge));
  route.go('configuration', ...tab);
  render(ConfigurationScreen);
}

beforeEach(() => {
  stops = [pretendLayout({ width: 1200, height: 800 })];
  refusal = null;
  project = aProject();
  preview = {
    orders: [
      { node: 'node-1', type: 'cpx22', location: 'nbg1', perHour: 0.032, perMonth: 19.99, cause: 'no room' },
      { node: 'node-2', type: 'cpx22', location: 'nbg1', perHour: 0.032, perMonth: 19.99, cause: 'no room' },
    ],
    noOrder: null,
    existing: { nodes: 0, perHour: 0 },
  };
});

afterEach(() => {
  // Close the screen first, because an open screen would test the token again.
  cleanup();
  for (const stop of stops.reverse()) stop();
  masterDraft.forget();
  providerTest.forget();
  for (const { id } of toasts.list) toasts.close(id);
  masterConfig.value = null;
});

const step = (name: RegExp) => screen.findByRole('region', { name });
const save = async () => fireEvent.click(await screen.findByRole('button', { name: 'Save changes' }));

async function enterToken(): Promise<void> {
  const token = await screen.findByLabelText('API token');
  await fireEvent.input(token, { target: { value: TOKEN } });
}

describe('the setup of the cloud provider', () => {
  it('offers the contents of the project after the token has passed its test, and saves only on request', async () => {
    open(['provider']);
    const location = await step(/^2\. Location/);
    expect(within(location).getByRole('textbox', { name: 'Location' })).toBeTruthy();
    expect((await step(/^7\./)).textContent).toContain('Test the API token to see what would be ordered');
    await enterToken();
    expect(await screen.findByText('Not tested yet. It is tested before it is saved.')).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: 'Test token' }));

    expect(await screen.findByText('The provider accepts the token')).toBeTruthy();
    expect(bridge.askedFor('provider.test')).toEqual([{ token: TOKEN }]);
    expect(screen.getByText('Its project has no servers and 1 SSH key.')).toBeTruthy();
    expect(screen.getByText('3,590 of 3,600 requests per hour are left.')).toBeTruthy();
    const cards = within(location).getAllByRole<HTMLInputElement>('radio');
    expect(cards.map(({ value, checked }) => [value, checked])).toEqual([
      ['nbg1', true],
      ['fsn1', false],
    ]);
    expect(location.textContent).toContain('2 types in stock, from €0.032 / h.');
    expect(location.textContent).toContain('All allowed types are sold out now.');
    const types = within(await step(/^3\./)).getByRole('table');
    const row = within(types).getByRole('row', { name: /cpx22/ });
    for (const words of ['4 GB', '€0.032', '€19.97', 'In stock: nbg1']) {
      expect(row.textContent).toContain(words);
    }
    await waitFor(async () => expect((await step(/^7\./)).textContent).toContain('€0.064'));
    expect((await step(/^7\./)).textContent).toContain('€39.98');
    expect(bridge.askedFor('config.update')).toEqual([]);
  });

  it('lets the user sort locations, block server types and choose SSH keys without typing', async () => {
    project = aProject({
      locations: ['nbg1', 'fsn1', 'hel1'].map((name) => ({ name, city: name, country: 'DE', zone: 'eu' })),
    });
    open(['provider'], { provider: { api_token: TOKEN, ssh_keys: ['lost'] } });
    const location = await step(/^2\. Location/);
    await fireEvent.click(await within(location).findByRole('button', { name: /^Add fsn1/ }));
    await fireEvent.click(within(location).getByRole('button', { name: /^Add hel1/ }));
    await fireEvent.click(within(location).getByRole('button', { name: 'Move hel1 up' }));
    await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Move hel1 down'));
    const types = await step(/^3\./);
    await fireEvent.click(within(types).getByRole('checkbox', { name: 'cpx32' }));
    const access = await step(/^4\./);
    expect(access.textContent).toContain('not in the project');
    await fireEvent.click(within(access).getByRole('checkbox', { name: 'lost' }));
    await fireEvent.click(within(access).getByRole('checkbox', { name: 'anna' }));
    await save();
    await waitFor(() => expect(bridge.askedFor('config.update')).toHaveLength(1));
    expect(stored.provider).toMatchObject({
      api_token: '••••',
      location: 'nbg1',
      locations: ['hel1', 'fsn1'],
      blocked_servers: ['cpx32'],
      ssh_keys: ['anna'],
    });
  });

  it('lets the user correct JSON that repeats a location or an SSH key', async () => {
    open(['provider'], { provider: { api_token: TOKEN } });
    const location = await step(/^2\. Location/);
    await within(location).findByRole('button', { name: /^Add fsn1/ });
    const repeated = { locations: ['fsn1', 'fsn1'], ssh_keys: ['lost', 'lost'] };
    masterDraft.current?.setText(
      JSON.stringify({ ...stored, provider: { ...stored.provider, ...repeated } }),
    );
    const entries = await within(location).findAllByRole('button', { name: 'Remove fsn1' });
    expect(entries).toHaveLength(2);
    await fireEvent.click(entries[0] ?? location);
    await fireEvent.click(within(await step(/^4\./)).getByRole('checkbox', { name: 'lost' }));
    await save();
    await waitFor(() => expect(stored.provider).toMatchObject({ locations: ['fsn1'], ssh_keys: [] }));
  });

  it('tests a stored token once automatically', async () => {
    open(['provider'], { provider: { api_token: TOKEN } });
    expect(await screen.findByText('The provider accepts the token')).toBeTruthy();
    expect(bridge.askedFor('provider.test')).toEqual([{ token: null }]);
  });

  it('tests a stored token again when the page opens, unless the last test is less than a minute old', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      open(['provider'], { provider: { api_token: TOKEN } });
      await screen.findByText('The provider accepts the token');
      cleanup();
      vi.setSystemTime(Date.now() + 30_000);
      render(ConfigurationScreen);
      await screen.findByText('The provider accepts the token');
      expect(bridge.askedFor('provider.test')).toHaveLength(1);
      cleanup();
      vi.setSystemTime(Date.now() + 31_000);
      render(ConfigurationScreen);
      await waitFor(() =>
        expect(bridge.askedFor('provider.test')).toEqual([{ token: null }, { token: null }]),
      );
      await screen.findByText('The provider accepts the token');
      expect(bridge.askedFor('provider.test')).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('tests a stored token only once if the clock is set back while the page is open', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      open(['provider'], { provider: { api_token: TOKEN } });
      await screen.findByText('The provider accepts the token');
      vi.setSystemTime(Date.now() - 3_600_000);
      await fireEvent.click(screen.getByRole('button', { name: 'Test token' }));
      await waitFor(() => expect(bridge.askedFor('provider.test')).toHaveLength(2));
      await screen.findByText('The provider accepts the token');
      // Runs the effects of the second result.
      await tick();
      expect(bridge.askedFor('provider.test')).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('tests the stored token again after another owner has saved a token of another project', async () => {
    open(['provider'], { provider: { api_token: TOKEN } });
    await screen.findByText('The provider accepts the token');
    const access = await step(/^4\./);
    expect(within(access).getByRole('checkbox', { name: 'anna' })).toBeTruthy();
    stored = masterConfigSchema.parse({ provider: { api_token: `${TOKEN}-of-another-project` } });
    project = aProject({ sshKeys: [{ name: 'bo', fingerprint: 'aa:bb' }] });
    bridge.push('notification', { name: 'stale', params: { topics: ['config'] } });
    expect(await within(access).findByRole('checkbox', { name: 'bo' })).toBeTruthy();
    expect(within(access).queryByRole('checkbox', { name: 'anna' })).toBeNull();
    expect(bridge.askedFor('provider.test')).toHaveLength(2);
  });

  it('shows the existing nodes, and the reason why no node would be ordered', async () => {
    preview = {
      orders: [],
      noOrder: {
        reason: 'BUDGET_REACHED',
        message: 'There would be 3 cloud nodes, and the limit is 2.',
        until: null,
      },
      existing: { nodes: 2, perHour: 0.064 },
    };
    open(['provider'], { provider: { api_token: TOKEN } });
    const box = await step(/^7\./);
    await waitFor(() => expect(box.textContent).toContain('A node is needed, but none would be ordered'));
    expect(box.textContent).toContain('There would be 3 cloud nodes, and the limit is 2.');
    expect(box.textContent).toContain('2 cloud nodes already exist and cost €0.064 per hour.');
  });

  it('shows that no node would be ordered if the nodes have enough room', async () => {
    preview = { orders: [], noOrder: null, existing: { nodes: 0, perHour: 0 } };
    open(['provider'], { provider: { api_token: TOKEN } });
    expect(await screen.findByText(/^Nothing\. The nodes that exist/)).toBeTruthy();
  });

  it.each([
    ['the guided page', ['provider']],
    ['all settings', []],
  ])('on %s, asks for confirmation before it saves a new token that has failed its test', async (_, tab) => {
    refusal = new OverworldError('PROVIDER_TOKEN_READ_ONLY', { why: 'the token is read-only' });
    open(tab);
    await enterToken();
    await save();
    const dialog = await screen.findByRole('dialog', { name: /^Save an API token/ });
    expect(dialog.textContent).toContain('This API token can only read');
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Back to editing' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(bridge.askedFor('config.update')).toEqual([]);
    await save();
    const again = await screen.findByRole('dialog', { name: /^Save an API token/ });
    await fireEvent.click(within(again).getByRole('button', { name: 'Save it nevertheless' }));
    await waitFor(() => expect(stored.provider.api_token).toBe(TOKEN));
  });

  it('tests a new token before it is saved, and does not ask for confirmation after a successful test', async () => {
    open([]);
    await enterToken();
    await save();
    await waitFor(() => expect(stored.provider.api_token).toBe(TOKEN));
    expect(
      bridge.asked.map(({ name }) => name).filter((name) => /provider\.test|config\.update/.test(name)),
    ).toEqual(['provider.test', 'config.update']);
    expect(screen.queryByRole('dialog')).toBeNull();
    // The app has already tested this token, so it does not test the token again after the save.
    expect(await screen.findByText('The provider accepts the token')).toBeTruthy();
    expect(bridge.askedFor('provider.test')).toHaveLength(1);
  });

  it('shows a message if a new token fails its test after the user has left the page', async () => {
    open(['provider']);
    await enterToken();
    let fail: (error: Error) => void = () => undefined;
    bridge.answerCall('provider.test', () => new Promise((_resolve, reject) => (fail = reject)));
    await save();
    await waitFor(() => expect(bridge.askedFor('provider.test')).toHaveLength(1));
    route.go('configuration');
    await screen.findByRole('textbox', { name: 'Host address' });
    fail(new OverworldError('PROVIDER_TOKEN_READ_ONLY', { why: 'the token is read-only' }));
    await waitFor(() =>
      expect(toasts.list.at(-1)?.text).toMatch(/^The configuration could not be saved.*can only read/),
    );
    expect(bridge.askedFor('config.update')).toEqual([]);
  });

  it('shows a message if the user leaves the page while it asks whether to save a refused token', async () => {
    refusal = new OverworldError('PROVIDER_TOKEN_READ_ONLY', { why: 'the token is read-only' });
    open(['provider']);
    await enterToken();
    await save();
    await screen.findByRole('dialog', { name: /^Save an API token/ });
    route.go('configuration');
    await waitFor(() =>
      expect(toasts.list.at(-1)?.text).toMatch(/^The configuration could not be saved.*can only read/),
    );
  });

  it('links to all settings if a field that is not on this page is invalid', async () => {
    open(['provider'], { provider: { api_token: TOKEN } });
    await screen.findByText('The provider accepts the token');
    masterDraft.current?.set('communication.hostname', 'nowhere');
    await save();
    await waitFor(() => expect(screen.getByRole('textbox', { name: 'Host address' })).toBeTruthy());
  });
});
