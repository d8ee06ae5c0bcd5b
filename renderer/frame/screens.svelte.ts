import ActivityIcon from '@lucide/svelte/icons/activity';
import Cable from '@lucide/svelte/icons/cable';
import FolderOpen from '@lucide/svelte/icons/folder-open';
import HardDrive from '@lucide/svelte/icons/hard-drive';
import LayoutDashboard from '@lucide/svelte/icons/layout-dashboard';
import LayoutTemplate from '@lucide/svelte/icons/layout-template';
import Server from '@lucide/svelte/icons/server';
import Settings2 from '@lucide/svelte/icons/settings-2';
import SlidersHorizontal from '@lucide/svelte/icons/sliders-horizontal';
import Users from '@lucide/svelte/icons/users';
import type { Component } from 'svelte';
import { toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import { screens, type ScreenId } from '#shared/ipc/screens.ts';
import type { Icon } from '../ui/icon.ts';

/**
 * Functions that load the code of each screen. A function is called at the first visit of its screen, so that the
 * dashboard appears sooner.
 */
const loaders: Partial<Record<ScreenId, () => Promise<{ readonly default: Component }>>> = {
  overview: () => import('../screens/overview/OverviewScreen.svelte'),
  services: () => import('../screens/services/ServicesScreen.svelte'),
  players: () => import('../screens/players/PlayersScreen.svelte'),
  nodes: () => import('../screens/nodes/NodesScreen.svelte'),
  templates: () => import('../screens/templates/TemplatesScreen.svelte'),
  files: () => import('../screens/files/FilesScreen.svelte'),
  configuration: () => import('../screens/configuration/ConfigurationScreen.svelte'),
  activity: () => import('../screens/activity/ActivityScreen.svelte'),
  connections: () => import('../screens/connections/ConnectionsScreen.svelte'),
  preferences: () => import('../screens/preferences/PreferencesScreen.svelte'),
};

/** Icon shown beside each screen's name. */
export const screenIcons: Readonly<Record<ScreenId, Icon>> = {
  overview: LayoutDashboard,
  services: Server,
  players: Users,
  nodes: HardDrive,
  templates: LayoutTemplate,
  files: FolderOpen,
  configuration: SlidersHorizontal,
  activity: ActivityIcon,
  connections: Cable,
  preferences: Settings2,
};

/** The available screens in the order of the navigation. */
export const shownScreens = screens.filter(({ id }) => loaders[id] !== undefined);

/** Other names under which routes open a screen. */
const aliases: Readonly<Record<string, ScreenId>> = { about: 'preferences' };

/**
 * Returns the screen that the first part of a route names, by its current or a former name; `overview` for an unknown
 * name.
 */
export function toScreenId(name: string): ScreenId {
  const id = aliases[name] ?? name;
  return shownScreens.find((screen) => screen.id === id)?.id ?? 'overview';
}

/** The screens whose code is loaded. */
class LoadedScreens {
  #components = $state.raw<Readonly<Partial<Record<ScreenId, Component>>>>({});
  /** Why the screen that was requested last could not be loaded. Null if it was loaded, or is still loading. */
  error = $state.raw<OverworldError | null>(null);

  /** Returns a screen's component. Undefined until {@link load} has loaded it. */
  readonly get = (id: ScreenId): Component | undefined => this.#components[id];

  /** Loads a screen's code. Does nothing if the code is already loaded. */
  readonly load = async (id: ScreenId): Promise<void> => {
    this.error = null;
    if (this.#components[id] !== undefined) return;
    try {
      const module = await loaders[id]?.();
      if (module !== undefined) this.#components = { ...this.#components, [id]: module.default };
    } catch (thrown) {
      this.error = toOverworldError(thrown);
    }
  };
}

export const loadedScreens = new LoadedScreens();
