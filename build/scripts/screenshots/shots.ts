import type { ElectronApplication, Page } from 'playwright';
import { FAKE_TOKEN } from '#test/fake/hetzner/fake-hetzner.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** A picture to take: its route, and what to do on the screen first. */
export interface Shot {
  readonly name: string;
  readonly route: string;
  readonly arrange?: (window: Page, electron: ElectronApplication) => Promise<void>;
  /** Undoes what `arrange` did, if it affects other pictures. */
  readonly leave?: (electron: ElectronApplication) => Promise<void>;
}

const chooses =
  (view: string) =>
  async (window: Page): Promise<void> => {
    await window.getByRole('radio', { name: view, exact: true }).first().check({ force: true });
  };

/** The screens that exist in every network, even if it has no templates and services. */
export const screens: readonly Shot[] = [
  { name: 'overview', route: 'overview' },
  { name: 'services', route: 'services' },
  { name: 'players', route: 'players' },
  { name: 'player-entry', route: 'overview/player-entry' },
  { name: 'nodes', route: 'nodes' },
  { name: 'templates', route: 'templates' },
  { name: 'new-template', route: 'templates/+new' },
  { name: 'files', route: 'files' },
  { name: 'configuration', route: 'configuration' },
  {
    name: 'network',
    route: 'overview/network',
    arrange: async (window) => {
      await window.getByText('Paper and Velocity').click();
      await window.getByRole('combobox', { name: 'Minecraft version' }).waitFor();
      await window.getByText('Loading…').waitFor({ state: 'detached' });
    },
  },
  {
    name: 'provider',
    route: 'configuration/provider',
    // The token is only in the form, so the network stays without a provider.
    arrange: async (window) => {
      await window.getByLabel('API token', { exact: true }).fill(FAKE_TOKEN);
      await window.getByRole('button', { name: 'Test token' }).click();
      await window.getByText('The provider accepts the token').waitFor();
      await window.getByRole('group', { name: 'Allowed server types' }).waitFor();
    },
    leave: async (electron) => {
      const window = await electron.firstWindow();
      await window.getByRole('button', { name: 'Discard' }).click();
    },
  },
  {
    name: 'budget',
    route: 'configuration/limits.max_nodes',
    arrange: async (window) => {
      await window.getByRole('region', { name: 'Budget' }).scrollIntoViewIfNeeded();
    },
  },
  { name: 'activity', route: 'activity' },
  { name: 'connections', route: 'connections' },
  { name: 'preferences', route: 'preferences' },
  {
    name: 'palette',
    route: 'overview',
    arrange: async (window) => {
      await window.keyboard.press('Control+k');
      await window.getByRole('dialog').waitFor();
    },
  },
];

/** The details of one machine. */
export const node = (id: string): Shot => ({ name: 'node', route: `nodes/${id}` });

/** Pages that exist only in a network with templates and services. */
export const details: readonly Shot[] = [
  node('local'),
  { name: 'service', route: 'services/lobby-1/details' },
  { name: 'console', route: 'services/lobby-1/console' },
  { name: 'service-history', route: 'services/lobby-1/history' },
  { name: 'template', route: 'templates/lobby' },
  { name: 'template-json', route: 'templates/lobby/settings', arrange: chooses('JSON') },
  { name: 'template-compare', route: 'templates/lobby/settings', arrange: chooses('Compare') },
  { name: 'template-services', route: 'templates/lobby/services' },
  { name: 'template-files', route: 'templates/lobby/files' },
  {
    name: 'software',
    route: 'templates/lobby/files',
    arrange: async (window) => {
      await window.getByRole('button', { name: 'Choose software…' }).click();
      const dialog = window.getByRole('dialog', { name: 'Software of template lobby' });
      await dialog.getByLabel('Software', { exact: true }).selectOption('paper');
      const build = dialog.getByLabel('Build', { exact: true });
      await waitFor(async () => (await build.inputValue()) !== '', { what: 'the builds of Paper' });
    },
  },
  { name: 'data', route: 'templates/survival/data' },
  { name: 'proxy', route: 'services/proxy-1/details' },
  {
    name: 'send-player',
    route: 'players',
    arrange: async (window) => {
      await window.getByRole('row').nth(1).click({ button: 'right' });
      await window.getByRole('menuitem', { name: /^Send / }).click();
      await window.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'kick-player',
    route: 'players',
    arrange: async (window) => {
      await window.getByRole('row').nth(1).click({ button: 'right' });
      await window.getByRole('menuitem', { name: /^Kick / }).click();
      await window.getByRole('dialog').waitFor();
    },
  },
  { name: 'proxy-template-files', route: 'templates/proxy/files' },
  { name: 'folder', route: 'files/templates/lobby' },
  {
    name: 'row-menu',
    route: 'files/templates/lobby',
    arrange: async (window) => {
      await window.getByText('server.properties', { exact: true }).click({ button: 'right' });
      await window.getByRole('menu').waitFor();
    },
  },
  {
    name: 'editor',
    route: 'files/edit/templates/lobby/server.properties',
    arrange: async (window) => {
      await window.getByRole('textbox', { name: /^Content of / }).waitFor();
    },
  },
  { name: 'search', route: 'files/search' },
  { name: 'access', route: 'configuration/access' },
];
