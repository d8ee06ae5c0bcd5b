import { expect, type Page } from 'playwright/test';
import type { Setup } from './setup.ts';

/** Screen of the window, possibly with an open tab or dialog. */
interface Screen {
  readonly name: string;
  /** Part of the screen's address. A dialog opens over this screen. */
  readonly route: string;
  /** Opens the tab or dialog, or waits until the screen shows its content. */
  readonly open: (window: Page) => Promise<void>;
}

/**
 * Creates a network whose services and templates are in all states that the screens show: running, paused, waiting,
 * empty and faulty.
 */
export async function setUpWorld(setup: Setup): Promise<void> {
  await setup.template('lobby');
  await setup.templateWithoutJar('arena', { minimumRunningServers: 1 });
  await setup.call('services.start', { template: 'lobby' });
  await setup.call('services.hold', { id: 'lobby-1', held: true });
  await setup.call('templates.hold', { id: 'lobby', held: true });
}

const shows =
  (text: string) =>
  async (window: Page): Promise<void> => {
    await expect(window.getByText(text).first()).toBeVisible();
  };

const opensDialog =
  (button: RegExp) =>
  async (window: Page): Promise<void> => {
    await window.getByRole('button', { name: button }).first().click();
    await expect(window.getByRole('dialog')).toBeVisible();
  };

/** All screens of {@link setUpWorld}, with their tabs and dialogs. */
export const screens: readonly Screen[] = [
  { name: 'Overview', route: 'overview', open: shows('lobby') },
  { name: 'Services', route: 'services', open: shows('Empty') },
  { name: 'console', route: 'services/lobby-1/console', open: shows('Done (') },
  { name: 'service details', route: 'services/lobby-1/details', open: shows('RAM allocated') },
  { name: 'held service', route: 'services/lobby-1/details', open: shows('Automation is paused') },
  { name: 'service history', route: 'services/lobby-1/history', open: shows('lobby-1 was requested') },
  { name: 'waiting service', route: 'services/arena-1/details', open: shows('no server.jar') },
  { name: 'stopping a service', route: 'services/lobby-1', open: opensDialog(/^Stop$/) },
  {
    name: 'files of a service',
    route: 'services/lobby-1',
    open: async (window) => {
      await window.getByRole('button', { name: 'More actions for lobby-1' }).click();
      await window.getByRole('menuitem', { name: 'Copy its files to lobby…' }).click();
      await expect(window.getByRole('dialog').getByText('server.jar')).toBeVisible();
    },
  },
  { name: 'consoles', route: 'services/consoles', open: shows('No console is open') },
  { name: 'Templates', route: 'templates', open: shows('server.jar missing') },
  { name: 'new template', route: 'templates/+new', open: shows('Start with') },
  {
    name: 'template settings with a mistake',
    route: 'templates/lobby/settings',
    open: async (window) => {
      const field = window.getByRole('spinbutton', { name: 'Maximum players' });
      await field.fill('0');
      await field.blur();
      await expect(window.getByText('1 field needs correction')).toBeVisible();
    },
  },
  { name: 'looking over changes', route: 'templates/lobby/settings', open: opensDialog(/^Review/) },
  {
    name: 'what an edit would do',
    route: 'templates/arena/settings',
    open: async (window) => {
      await window.getByRole('spinbutton', { name: 'Minimum running services' }).fill('3');
      await expect(window.getByText('arena-2, arena-3 would wait')).toBeVisible();
    },
  },
  {
    name: 'a template as JSON',
    route: 'templates/lobby/settings',
    open: async (window) => {
      await window.getByRole('radiogroup', { name: 'View' }).getByText('JSON').click();
      await expect(window.getByRole('textbox', { name: 'JSON of template lobby' })).toBeVisible();
    },
  },
  {
    name: 'a template compared with the defaults',
    route: 'templates/lobby/settings',
    open: async (window) => {
      await window.getByRole('radiogroup', { name: 'View' }).getByText('Compare').click();
      await window.getByText('With defaults').click();
      await window.getByRole('radiogroup', { name: 'Shown as' }).getByText('JSON').click();
      // The window shows the two versions side by side. A narrow window shows them as one text.
      await expect(window.getByRole('figure', { name: 'Default compared with Here' })).toBeVisible();
      await expect(window.locator('.cm-changedLine, .cm-deletedChunk').first()).toBeVisible();
    },
  },
  {
    name: 'deleting a template',
    route: 'templates/lobby/settings',
    open: async (window) => {
      await window.getByRole('button', { name: 'More actions' }).click();
      await window.getByRole('menuitem', { name: 'Delete template' }).click();
      await expect(window.getByRole('radio', { name: 'Let players finish, then delete' })).toBeVisible();
    },
  },
  {
    name: 'choosing shared files',
    route: 'templates/lobby/settings/defaultServiceFiles',
    open: async (window) => {
      await window.getByRole('button', { name: 'Choose from shared files' }).click();
      await expect(window.getByRole('tree', { name: 'Shared files' })).toBeVisible();
    },
  },
  { name: 'Configuration', route: 'configuration', open: shows('Global player limit') },
  { name: 'cloud provider', route: 'configuration/provider', open: shows('What would be ordered now') },
  {
    name: 'a firewall rule with a mistake',
    route: 'configuration/firewall_rules',
    open: async (window) => {
      await window.getByRole('button', { name: 'Add rule' }).click();
      await window.getByLabel('Source addresses of rule 1', { exact: true }).last().fill('203.0.113.7');
      await window.keyboard.press('Tab');
      await expect(window.getByText('1 field needs correction')).toBeVisible();
    },
  },
  { name: 'Access', route: 'configuration/access', open: shows('overworld-app') },
  {
    name: 'Backup',
    route: 'configuration/backup',
    open: shows('The master of this computer makes no backups'),
  },
  { name: 'adding a key', route: 'configuration/access', open: opensDialog(/^Add key/) },
  { name: 'services of a template', route: 'templates/lobby/services', open: shows('lobby-1') },
  { name: 'files of a template', route: 'templates/lobby/files', open: shows('server.jar') },
  {
    name: 'data of a template',
    route: 'templates/lobby/data',
    open: shows('Services of this template keep nothing'),
  },
  { name: 'Files', route: 'files', open: shows('one folder for each template') },
  { name: 'a folder', route: 'files/templates/lobby', open: shows('server.jar') },
  { name: 'an empty folder', route: 'files/templates/arena', open: shows('This folder is empty') },
  { name: 'new folder', route: 'files/templates/lobby', open: opensDialog(/^New folder/) },
  {
    name: 'properties',
    route: 'files/templates/lobby',
    open: async (window) => {
      await window
        .getByRole('grid', { name: 'Files: Master' })
        .getByText('server.jar', { exact: true })
        .click();
      await window.keyboard.press('Alt+Enter');
      await expect(window.getByRole('dialog', { name: 'server.jar' })).toBeVisible();
    },
  },
  {
    name: 'copying on the master',
    route: 'files/templates/lobby',
    open: async (window) => {
      await window
        .getByRole('grid', { name: 'Files: Master' })
        .getByText('server.jar', { exact: true })
        .click();
      await window.getByRole('button', { name: 'More actions for 1 selected' }).click();
      await window.getByRole('menuitem', { name: 'Copy to…' }).click();
      await expect(window.getByRole('dialog')).toBeVisible();
    },
  },
  { name: 'revisions', route: 'files/templates/lobby', open: opensDialog(/^Revisions$/) },
  { name: 'searching files', route: 'files/search', open: shows('Search a folder') },
  { name: 'comparing folders', route: 'files/compare', open: shows('Compare and synchronise') },
  { name: 'Players without a proxy', route: 'players', open: shows('Players join through a proxy') },
  {
    name: 'way in',
    route: 'overview/player-entry',
    open: async (window) => {
      await expect(window.getByRole('dialog', { name: 'Player entry' })).toContainText('Join addresses');
    },
  },
  { name: 'Nodes', route: 'nodes', open: shows('No cloud nodes') },
  { name: 'a node', route: 'nodes/local', open: shows('Own machine') },
  { name: 'history of a node', route: 'nodes/local/history', open: shows('No events yet') },
  {
    name: 'charts as a table',
    route: 'overview',
    open: async (window) => {
      await window.getByRole('button', { name: 'Show as table' }).click();
      await expect(window.getByRole('dialog')).toBeVisible();
    },
  },
  { name: 'Activity', route: 'activity', open: shows('lobby-1 was requested') },
  { name: 'Connections', route: 'connections', open: shows('A master on a server') },
  {
    name: 'installing on a server, with mistakes',
    route: 'connections/+install',
    open: async (window) => {
      const dialog = window.getByRole('dialog', { name: 'Install on a server' });
      await dialog.getByText('Options', { exact: true }).click();
      await dialog.getByRole('button', { name: 'Install', exact: true }).click();
      await expect(dialog.getByText(/^Enter the name or address of the server/)).toBeVisible();
    },
  },
  {
    name: 'moving a master, with mistakes',
    route: 'connections/+move/embedded',
    open: async (window) => {
      const dialog = window.getByRole('dialog', { name: /^Move .* to another server$/ });
      await dialog.getByRole('button', { name: /^New server/ }).click();
      await dialog.getByRole('button', { name: 'Move the master' }).click();
      await expect(dialog.getByText(/^Enter the name or address of the server/)).toBeVisible();
    },
  },
  {
    name: 'adding a master, with mistakes',
    route: 'connections/+new',
    open: async (window) => {
      await window.getByRole('button', { name: 'Add and connect' }).click();
      await expect(window.getByText('Enter a name, for example Production.')).toBeVisible();
    },
  },
  { name: 'Preferences', route: 'preferences', open: shows('Services that fail') },
  { name: 'About', route: 'about', open: shows('Data folder') },
  {
    name: 'cheat sheet',
    route: 'overview',
    open: async (window) => {
      await window.keyboard.press('?');
      await expect(window.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
    },
  },
  {
    name: 'running tasks and messages',
    route: 'overview',
    open: async (window) => {
      await window.getByRole('button', { name: /^Running tasks and messages/ }).click();
      await expect(window.getByText(/No tasks are running|Clear finished/)).toBeVisible();
    },
  },
  {
    name: 'menu of a node',
    route: 'overview',
    open: async (window) => {
      await window
        .getByRole('button', { name: /^Actions for node/ })
        .first()
        .click();
      await expect(window.getByRole('menu')).toBeVisible();
    },
  },
  {
    name: 'draining a node',
    route: 'overview',
    open: async (window) => {
      await window
        .getByRole('button', { name: /^Actions for node/ })
        .first()
        .click();
      await window.getByRole('menuitem', { name: 'Drain node…' }).click();
      await expect(window.getByRole('dialog')).toBeVisible();
    },
  },
  {
    name: 'palette',
    route: 'overview',
    open: async (window) => {
      await window.keyboard.press('Control+k');
      await expect(window.getByRole('combobox', { name: 'Search screens' })).toBeVisible();
    },
  },
  {
    name: 'menu',
    route: 'overview',
    open: async (window) => {
      await window.getByRole('button', { name: 'Theme' }).click();
      await expect(window.getByRole('menu')).toBeVisible();
    },
  },
];

/** Closes all dialogs and menus of the previous screen, and opens this screen. */
export async function visit(window: Page, { route, open }: Screen): Promise<void> {
  await window.keyboard.press('Escape');
  await expect(window.getByRole('dialog').or(window.getByRole('menu'))).toHaveCount(0);
  await window.evaluate(`location.hash = ${JSON.stringify(`#/${route}`)}`);
  await open(window);
}
