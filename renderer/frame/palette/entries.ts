import Cable from '@lucide/svelte/icons/cable';
import CircleArrowUp from '@lucide/svelte/icons/circle-arrow-up';
import Cloud from '@lucide/svelte/icons/cloud';
import Contrast from '@lucide/svelte/icons/contrast';
import DoorOpen from '@lucide/svelte/icons/door-open';
import FileSearch from '@lucide/svelte/icons/file-search';
import FolderOpen from '@lucide/svelte/icons/folder-open';
import FolderSync from '@lucide/svelte/icons/folder-sync';
import HardDrive from '@lucide/svelte/icons/hard-drive';
import Info from '@lucide/svelte/icons/info';
import Keyboard from '@lucide/svelte/icons/keyboard';
import LayoutTemplate from '@lucide/svelte/icons/layout-template';
import Network from '@lucide/svelte/icons/network';
import Plus from '@lucide/svelte/icons/plus';
import RotateCw from '@lucide/svelte/icons/rotate-cw';
import Rows3 from '@lucide/svelte/icons/rows-3';
import Server from '@lucide/svelte/icons/server';
import ServerCog from '@lucide/svelte/icons/server-cog';
import SlidersHorizontal from '@lucide/svelte/icons/sliders-horizontal';
import SquareTerminal from '@lucide/svelte/icons/square-terminal';
import Truck from '@lucide/svelte/icons/truck';
import User from '@lucide/svelte/icons/user';
import { describeFields } from '#shared/config/field.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import type { Connection, Preferences } from '#shared/ipc/contract.ts';
import type { Node } from '#shared/model/node.ts';
import type { Player } from '#shared/model/player.ts';
import type { Service } from '#shared/model/service.ts';
import type { Template } from '#shared/model/template.ts';
import { NEW_NETWORK, NEW_TEMPLATE } from '../../stores/app/route.svelte.ts';
import type { Icon } from '../../ui/icon.ts';
import type { Searchable } from '../../view/search.ts';
import { stateWords, toShownState } from '../../view/service/service.ts';
import { screenIcons, shownScreens } from '../screens.svelte.ts';
import { keysOf } from '../shortcuts.ts';

/** An entry of the palette: a screen or object to open, or an action. */
export interface PaletteEntry extends Searchable {
  /** Shown right of the label: the kind of object or its state. */
  readonly hint: string;
  readonly icon: Icon;
  /** Keyboard shortcut, written as in {@link Shortcut}. */
  readonly keys?: string | undefined;
  /** Why the action is not possible now. Undefined if the action is possible. */
  readonly refusal?: string | undefined;
  readonly onselect: () => void;
}

/** The objects that the palette offers, and the functions that its entries call. */
export interface PaletteWorld {
  readonly services: readonly Service[];
  readonly templates: readonly Template[];
  readonly nodes: readonly Node[];
  readonly players: readonly Player[];
  readonly connections: readonly Connection[];
  /** Why services and templates cannot be changed now. Undefined if they can. */
  readonly refusal: string | undefined;
  readonly go: (...parts: readonly string[]) => void;
  readonly setPreferences: (change: Partial<Preferences>) => void;
  readonly refresh: () => void;
  readonly showShortcuts: () => void;
  readonly switchTo: (connection: Connection) => void;
  /** Opens the dialog for a new installation. */
  readonly installOnServer: () => void;
  /** Opens the dialog for an update of a connection's master. */
  readonly updateMaster: (connection: Connection) => void;
  /** Opens the dialog for the move of a connection's master. */
  readonly moveMaster: (connection: Connection) => void;
}

/** Fields of the master configuration. They do not change while the app runs. */
const fields = describeFields(masterConfigSchema).map(({ path, label, help }) => ({
  path: path.join('.'),
  label,
  help,
}));

/**
 * Returns entries for all screens, actions and objects that are available now: screens and actions first, then
 * objects.
 */
export function toPaletteEntries(world: PaletteWorld): readonly PaletteEntry[] {
  return [...screensOf(world), ...actionsOf(world), ...objectsOf(world)];
}

function screensOf({ go }: PaletteWorld): readonly PaletteEntry[] {
  const screens = shownScreens.map(({ id, label, digit }) => ({
    id: `screen ${id}`,
    label,
    hint: 'Screen',
    keys: `Ctrl ${digit}`,
    icon: screenIcons[id],
    onselect: () => go(id),
  }));
  const about = {
    id: 'screen about',
    label: 'About',
    hint: 'Screen',
    icon: Info,
    onselect: () => go('about'),
  };
  return [...screens, about];
}

function actionsOf(world: PaletteWorld): readonly PaletteEntry[] {
  const { go, refusal, setPreferences } = world;
  const action = (
    label: string,
    of: Pick<PaletteEntry, 'icon' | 'onselect' | 'keywords' | 'keys'>,
  ): PaletteEntry => ({
    id: `action ${label}`,
    label,
    hint: 'Action',
    ...of,
  });
  const theme = (label: string, value: Preferences['theme']): PaletteEntry =>
    action(label, {
      icon: Contrast,
      keywords: 'colour appearance mode',
      onselect: () => setPreferences({ theme: value }),
    });
  return [
    {
      ...action('Create template', {
        icon: Plus,
        keywords: 'new add',
        onselect: () => go('templates', NEW_TEMPLATE),
      }),
      refusal,
    },
    {
      ...action('Create a network', {
        icon: Network,
        keywords: 'new proxy lobby game first',
        onselect: () => go('overview', NEW_NETWORK),
      }),
      refusal,
    },
    action('Set up a cloud provider', {
      icon: Cloud,
      keywords: 'hetzner token location server types ssh keys firewall budget configure mode nodes',
      onselect: () => go('configuration', 'provider'),
    }),
    action('Add master', {
      icon: Plus,
      keywords: 'new connection server connect',
      onselect: () => go('connections', '+new'),
    }),
    action('Install on a server', {
      icon: ServerCog,
      keywords: 'new master deploy ssh set up connection',
      onselect: world.installOnServer,
    }),
    action('Search files', {
      icon: FileSearch,
      keys: 'Ctrl Shift F',
      keywords: 'find names contents grep',
      onselect: () => go('files', 'search'),
    }),
    action('Compare folders', {
      icon: FolderSync,
      keywords: 'files synchronise sync difference',
      onselect: () => go('files', 'compare'),
    }),
    action('Show player entry', {
      icon: DoorOpen,
      keywords: 'address join haproxy balancer plugin link proxies',
      onselect: () => go('overview', 'player-entry'),
    }),
    action('Show consoles in tabs', {
      icon: SquareTerminal,
      keywords: 'open merged log',
      onselect: () => go('services', 'consoles'),
    }),
    action('Keyboard shortcuts', {
      icon: Keyboard,
      keys: keysOf('cheat sheet'),
      keywords: 'cheat sheet keys help',
      onselect: world.showShortcuts,
    }),
    action('Refresh everything', {
      icon: RotateCw,
      keys: keysOf('refresh'),
      keywords: 'fetch reload again',
      onselect: world.refresh,
    }),
    theme('Use the light theme', 'light'),
    theme('Use the dark theme', 'dark'),
    theme('Use the theme of the system', 'system'),
    action('Use compact rows', {
      icon: Rows3,
      keywords: 'density dense',
      onselect: () => setPreferences({ density: 'compact' }),
    }),
    action('Use comfortable rows', {
      icon: Rows3,
      keywords: 'density',
      onselect: () => setPreferences({ density: 'comfortable' }),
    }),
    ...world.connections
      .filter(({ active }) => !active)
      .map((connection) =>
        action(`Switch to ${connection.name}`, {
          icon: Cable,
          keywords: 'connect master connection',
          onselect: () => world.switchTo(connection),
        }),
      ),
    ...world.connections
      .filter(({ kind }) => kind === 'remote')
      .flatMap((connection) => [
        action(`Update the master ${connection.name}`, {
          icon: CircleArrowUp,
          keywords: 'upgrade version connection',
          onselect: () => world.updateMaster(connection),
        }),
        action(`Move the master ${connection.name} to another server`, {
          icon: Truck,
          keywords: 'migrate machine connection',
          onselect: () => world.moveMaster(connection),
        }),
      ]),
  ];
}

function objectsOf({ templates, nodes, services, players, go }: PaletteWorld): readonly PaletteEntry[] {
  return [
    ...templates.map((template) => ({
      id: `template ${template.id}`,
      label: template.id,
      hint: 'Template',
      keywords: `template ${template.config.name}`,
      icon: LayoutTemplate,
      onselect: () => go('templates', template.id),
    })),
    ...templates.map(({ id }) => ({
      id: `files ${id}`,
      label: `Files of ${id}`,
      hint: 'Folder',
      keywords: 'template sftp upload',
      icon: FolderOpen,
      onselect: () => go('files', 'templates', id),
    })),
    ...nodes.map(({ id, state }) => ({
      id: `node ${id}`,
      label: id,
      hint: `Node, ${state.toLowerCase()}`,
      keywords: 'node',
      icon: HardDrive,
      onselect: () => go('nodes', id),
    })),
    ...fields.map(({ path, label, help }) => ({
      id: `field ${path}`,
      label,
      hint: 'Configuration',
      keywords: `${path} configuration setting ${help}`,
      icon: SlidersHorizontal,
      onselect: () => go('configuration', path),
    })),
    ...services.map((service) => serviceEntry(service, go)),
    ...players.map((player) => playerEntry(player, go)),
  ];
}

/** Entries by service. They are cached, because each key press searches all entries, with up to 5,000 services. */
const serviceEntries = new WeakMap<Service, PaletteEntry>();

function serviceEntry(service: Service, go: PaletteWorld['go']): PaletteEntry {
  const known = serviceEntries.get(service);
  if (known !== undefined) return known;
  const entry: PaletteEntry = {
    id: `service ${service.id}`,
    label: service.id,
    hint: stateWords[toShownState(service)].word,
    keywords: 'service',
    icon: Server,
    onselect: () => go('services', service.id),
  };
  serviceEntries.set(service, entry);
  return entry;
}

/** Entries by player. They are cached, because each key press searches all entries, with up to 20,000 players. */
const playerEntries = new WeakMap<Player, PaletteEntry>();

function playerEntry(player: Player, go: PaletteWorld['go']): PaletteEntry {
  const known = playerEntries.get(player);
  if (known !== undefined) return known;
  const entry: PaletteEntry = {
    id: `player ${player.uuid}`,
    label: player.name,
    hint: player.server === null ? 'Player' : `Player on ${player.server}`,
    keywords: 'player',
    icon: User,
    onselect: () => go('players', player.name),
  };
  playerEntries.set(player, entry);
  return entry;
}
