import type { ElectronApplication, Page } from 'playwright/test';
import { startFakeHetzner, type FakeHetzner } from '#test/fake/hetzner/fake-hetzner.ts';
import { Keys } from './pages/keys.ts';
import { expect, launch, test as base } from './support/app.ts';

interface Fixtures {
  readonly fake: FakeHetzner;
  readonly electronApp: ElectronApplication;
}

/** Connects the embedded master to a fake provider, which the test can inspect and change. */
const test = base.extend<Fixtures>({
  // Playwright reads the fixtures that a fixture needs from its first parameter, which must be an object pattern.
  // eslint-disable-next-line no-empty-pattern
  fake: async ({}, use) => {
    const fake = await startFakeHetzner({ actionMs: 5 });
    await use(fake);
    await fake.close();
  },
  electronApp: async ({ data, fake }, use) => {
    const app = await launch(data, ['--window=1280x800', '--on-quit=stop'], {
      OVERWORLD_PROVIDER_URL: fake.url,
    });
    await use(app);
    await app.close();
  },
});

/** Public key of the project's SSH key anna. */
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAA anna';

const section = (window: Page, title: RegExp) => window.getByRole('region', { name: title });

test('a user sets up the cloud provider with the keyboard alone, from the API token to the first ordered node', async ({
  fake,
  setup,
  window,
}) => {
  fake.addSshKey('anna', KEY);
  fake.tokens.set('reads-only', { write: false });
  await setup.template('lobby', { minimumRunningServers: 1 });
  const keys = new Keys(window);
  await keys.palette('Set up a cloud provider');
  await expect(window.getByRole('heading', { name: '1. API token' })).toBeVisible();

  await keys.tabTo('textbox', 'API token');
  await window.keyboard.type('reads-only');
  await keys.tabTo('button', 'Test token');
  await keys.press('Enter');
  await expect(window.getByText('This API token can only read')).toBeVisible();
  await keys.backTo('textbox', 'API token');
  await keys.press('Control+a');
  await window.keyboard.type(fake.token);
  await expect(window.getByText('Not tested yet. It is tested before it is saved.')).toBeVisible();
  await keys.tabTo('button', 'Test token');
  await keys.press('Enter');
  await expect(window.getByText('The provider accepts the token')).toBeVisible();

  await keys.tabTo('radio', 'nbg1 · Nuremberg, DE');
  await keys.press('ArrowUp');
  await keys.expectFocus('radio', 'fsn1 · Falkenstein, DE');
  await keys.tabTo('button', 'Add nbg1 · Nuremberg, DE');
  await keys.press('Enter');
  await keys.expectFocus('button', 'Remove nbg1');
  await keys.tabTo('radio', 'cpx');
  await keys.tabTo('checkbox', 'cpx12');
  await keys.press('Space');
  await keys.tabTo('checkbox', 'anna');
  await keys.press('Space');
  // With this threshold, the master's own machine counts as full with its first service.
  await keys.tabTo('spinbutton', 'Order a node at');
  await keys.press('Control+a');
  await window.keyboard.type('1');
  await keys.tabTo('switch', 'Cloud nodes at most: No limit');
  await keys.press('Space');
  await keys.expectFocus('spinbutton', 'Cloud nodes at most');
  await keys.press('Control+a');
  await window.keyboard.type('1');

  const orders = section(window, /^7\. What would be ordered now/);
  await expect(orders.getByRole('row', { name: /^node-1/ })).toContainText(/cpx\d+ in fsn1/);
  await expect(orders.getByRole('row', { name: /^Together/ })).toContainText(/1 node/);
  expect(fake.everOrdered()).toEqual([]);

  await keys.tabTo('switch', 'Configure mode');
  await keys.press('Space');
  await expect(window.getByRole('dialog', { name: 'Switch configure mode off?' })).toBeVisible();
  await keys.tabTo('button', 'Switch configure mode off');
  await keys.press('Enter');
  await expect(window.getByRole('dialog')).toBeHidden();
  await keys.press('Control+s');
  await expect(window.getByRole('region', { name: 'Unsaved changes' })).toBeHidden();
  await expect(window.getByLabel('API token', { exact: true })).toHaveValue('••••');

  await expect.poll(() => fake.everOrdered().map(({ location }) => location)).toEqual(['fsn1']);
  const { config } = await setup.call('config.get', {});
  expect(config.provider).toMatchObject({
    location: 'fsn1',
    locations: ['nbg1'],
    blocked_servers: ['cpx12'],
    ssh_keys: ['anna'],
    configure_mode: false,
  });
  expect(fake.everOrdered()[0]?.sshKeys).toEqual([KEY]);
});

test('the configuration form, its JSON view and the tab Cloud provider show the same unsaved settings', async ({
  app,
  fake,
  setup,
  window,
}) => {
  const { config, configRevision: basedOn } = await setup.call('config.get', {});
  const provider = { ...config.provider, api_token: fake.token };
  await setup.call('config.update', { config: { ...config, provider }, basedOn });
  await app.goTo('Configuration');
  await window.getByRole('radio', { name: 'hel1 · Helsinki, FI' }).check();
  await expect(window.getByRole('checkbox', { name: 'cpx22' })).toBeChecked();
  await window.getByRole('radiogroup', { name: 'View' }).getByText('JSON').click();
  const json = window.getByRole('textbox', { name: 'JSON of the master configuration' });
  await expect(json).toContainText('"location": "hel1"');
  await window.getByRole('tab', { name: 'Cloud provider' }).click();
  await expect(window.getByRole('radio', { name: 'hel1 · Helsinki, FI' })).toBeChecked();
  await app.save();
  expect((await setup.call('config.get', {})).config.provider.location).toBe('hel1');
});

test('a user sees which limit of the budget has been reached, and raises this limit', async ({
  app,
  fake,
  setup,
  window,
}) => {
  const { config, configRevision: basedOn } = await setup.call('config.get', {});
  await setup.template('lobby', { minimumRunningServers: 1 });
  await setup.call('config.update', {
    config: {
      ...config,
      provider: {
        ...config.provider,
        api_token: fake.token,
        configure_mode: false,
        // With this threshold, the master's own machine counts as full with its first service.
        upscaling_at_percent_capacity: 1,
      },
      limits: { ...config.limits, max_nodes: 0 },
    },
    basedOn,
  });
  await app.goTo('Overview');
  const problem = window.getByRole('listitem').filter({ hasText: 'New node' });
  await expect(problem).toContainText('there would be 1 cloud nodes, and the limit is 0', {
    timeout: 60_000,
  });
  await expect(problem).toContainText('limits.max_nodes');
  expect(fake.everOrdered()).toEqual([]);
  await problem.getByRole('button', { name: 'Raise budget' }).click();
  const limit = window.getByRole('spinbutton', { name: 'Cloud nodes at most' });
  await expect(limit).toBeFocused();
  await limit.fill('1');
  await app.save();
  await expect.poll(() => fake.everOrdered().length, { timeout: 60_000 }).toBe(1);

  // The ordered node is large enough for one service. More services need a second node.
  await setup.template('arena', { minimumRunningServers: 3 });
  await app.goTo('Configuration');
  await window.getByRole('switch', { name: 'Cloud nodes at most: no limit' }).click();
  await window.getByRole('switch', { name: 'Cost per month at most: no limit' }).click();
  await window.getByRole('spinbutton', { name: 'Cost per month at most' }).fill('0.01');
  await app.save();
  await app.goTo('Overview');
  // In the last hour of a month, the ordered node costs 0.03 EUR until the month ends.
  await expect(problem).toContainText(/this month would cost [\d.]+ EUR .* and the limit is 0\.01/, {
    timeout: 60_000,
  });
  await problem.getByRole('button', { name: 'Raise budget' }).click();
  await expect(window.getByRole('heading', { level: 1, name: 'Configuration' })).toBeVisible();
  expect(fake.everOrdered(), 'a limit is never passed').toHaveLength(1);
});
