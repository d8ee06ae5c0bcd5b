import type { Page } from 'playwright';

/** A picture to take: its place, and what to do there first. */
export interface Shot {
  readonly name: string;
  readonly place: string;
  readonly arrange?: (window: Page) => Promise<void>;
}

const chooses =
  (view: string) =>
  async (window: Page): Promise<void> => {
    await window.getByRole('radio', { name: view, exact: true }).first().check({ force: true });
  };

/** Every screen, with or without services. */
export const screens: readonly Shot[] = [
  { name: 'overview', place: 'overview' },
  { name: 'services', place: 'services' },
  { name: 'players', place: 'players' },
  { name: 'way-in', place: 'overview/way-in' },
  { name: 'nodes', place: 'nodes' },
  { name: 'templates', place: 'templates' },
  { name: 'new-template', place: 'templates/+new' },
  { name: 'files', place: 'files' },
  { name: 'configuration', place: 'configuration' },
  { name: 'activity', place: 'activity' },
  { name: 'connections', place: 'connections' },
  { name: 'preferences', place: 'preferences' },
  {
    name: 'palette',
    place: 'overview',
    arrange: async (window) => {
      await window.keyboard.press('Control+k');
      await window.getByRole('dialog').waitFor();
    },
  },
];

/** The details of one machine. */
export const node = (id: string): Shot => ({ name: 'node', place: `nodes/${id}` });

/** Places that exist only in a network with templates and services. */
export const details: readonly Shot[] = [
  node('local'),
  { name: 'service', place: 'services/lobby-1/details' },
  { name: 'console', place: 'services/lobby-1/console' },
  { name: 'service-history', place: 'services/lobby-1/history' },
  { name: 'template', place: 'templates/lobby' },
  { name: 'template-json', place: 'templates/lobby/settings', arrange: chooses('JSON') },
  { name: 'template-compare', place: 'templates/lobby/settings', arrange: chooses('Compare') },
  { name: 'template-services', place: 'templates/lobby/services' },
  { name: 'template-files', place: 'templates/lobby/files' },
  { name: 'proxy', place: 'services/proxy-1/details' },
  {
    name: 'send-player',
    place: 'players',
    arrange: async (window) => {
      await window.getByRole('row').nth(1).click({ button: 'right' });
      await window.getByRole('menuitem', { name: /^Send / }).click();
      await window.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'kick-player',
    place: 'players',
    arrange: async (window) => {
      await window.getByRole('row').nth(1).click({ button: 'right' });
      await window.getByRole('menuitem', { name: /^Kick / }).click();
      await window.getByRole('dialog').waitFor();
    },
  },
  { name: 'proxy-template-files', place: 'templates/proxy/files' },
  { name: 'folder', place: 'files/templates/lobby' },
  {
    name: 'row-menu',
    place: 'files/templates/lobby',
    arrange: async (window) => {
      await window.getByText('server.properties', { exact: true }).click({ button: 'right' });
      await window.getByRole('menu').waitFor();
    },
  },
  {
    name: 'editor',
    place: 'files/edit/templates/lobby/server.properties',
    arrange: async (window) => {
      await window.getByRole('textbox', { name: /^Content of / }).waitFor();
    },
  },
  { name: 'search', place: 'files/search' },
  { name: 'access', place: 'configuration/access' },
];
