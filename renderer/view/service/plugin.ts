import { takesPlugin } from '#shared/link/software.ts';
import type { Plugin } from '#shared/model/player.ts';
import { isUp, type Service } from '#shared/model/service.ts';
import type { Template } from '#shared/model/template.ts';
import type { Hue } from '../../ui/hue.ts';

/**
 * Displayed state of Overworld's plugin in a service. `missing`: the plugin is expected but has not connected yet.
 */
export type ShownPlugin = 'linked' | 'silent' | 'missing';

export const pluginWords: Record<
  ShownPlugin,
  { readonly word: string; readonly hue: Hue; readonly means: string }
> = {
  linked: { word: 'Linked', hue: 'ok', means: 'Its plugin is connected to the master.' },
  silent: {
    word: 'Silent',
    hue: 'warn',
    means:
      'Its plugin was connected and no longer is. It keeps working with the last known data and reconnects automatically.',
  },
  missing: {
    word: 'Not connected',
    hue: 'warn',
    means:
      'Its plugin has not connected since the start. For the reason, look for “Overworld” in its console.',
  },
};

/**
 * Returns the state of a service's plugin. Null if the service gets no plugin, or is not up yet.
 *
 * @param template the service's template; undefined if it was deleted, so that no plugin is expected
 */
export function toShownPlugin(service: Service, template: Template | undefined): ShownPlugin | null {
  if (service.plugin !== null) return service.plugin.state;
  if (!isUp(service) || service.stopping !== null || template === undefined) return null;
  const { config, files } = template;
  return takesPlugin({ isProxy: config.isProxy, software: files.jar?.software ?? null }) ? 'missing' : null;
}

/** Displayed name of each plugin platform. */
const platformWords: Record<Plugin['platform'], string> = {
  bungeecord: 'BungeeCord',
  velocity: 'Velocity',
  bukkit: 'Bukkit',
  practice: 'Practice proxy',
  // For a platform that only a newer master knows, only the software's own name is shown.
  other: '',
};

/**
 * Returns the software as the plugin reports it. Adds the platform if the software's name does not contain it:
 * `Waterfall 1.20 (BungeeCord)`.
 */
export function softwareWords({ software, platform }: Pick<Plugin, 'software' | 'platform'>): string {
  const word = platformWords[platform];
  return software.toLowerCase().includes(word.toLowerCase()) ? software : `${software} (${word})`;
}

/** Describes a service whose plugin has lost its connection. */
export function silentWords({ plugin }: Pick<Service, 'plugin'>): string {
  const proxy = plugin !== null && plugin.platform !== 'bukkit';
  return proxy
    ? 'Its plugin is no longer connected. Players can keep playing, but the data shown may be outdated. It reconnects automatically; if it cannot, its console shows why.'
    : 'Its plugin is no longer connected. Players can keep playing. It reconnects automatically; if it cannot, its console shows why.';
}
