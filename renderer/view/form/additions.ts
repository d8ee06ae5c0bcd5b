import { HAND_OVER_FILE } from '#shared/link/messages.ts';
import { PLUGIN_FILE, softwareFamily, takesPlugin, type SoftwareFacts } from '#shared/link/software.ts';

/** A file that Overworld adds to each service, or into which it writes settings. */
export interface Addition {
  readonly path: string;
  /** Description of the file, or of the settings that Overworld writes into it. */
  readonly what: string;
}

/**
 * Returns the files and settings that Overworld adds to each service of a template when the service starts, in
 * addition to the template's own files (docs/templates.md).
 *
 * @param behindProxy whether the network has a proxy, which authenticates players
 */
export function additionsOf(facts: SoftwareFacts, behindProxy: boolean): readonly Addition[] {
  const plugin: readonly Addition[] = takesPlugin(facts)
    ? [
        { path: PLUGIN_FILE, what: 'Overworld’s plugin' },
        { path: HAND_OVER_FILE, what: 'connection to the master; readable only by this service' },
      ]
    : [];
  return [...plugin, ...(facts.isProxy ? proxyFiles(facts) : gameFiles(facts, behindProxy))];
}

function proxyFiles({ software }: SoftwareFacts): readonly Addition[] {
  switch (softwareFamily(software)) {
    case 'velocity':
      return [
        { path: 'velocity.toml', what: 'port, shown players, forwarding, PROXY protocol' },
        { path: 'forwarding.secret', what: 'secret of the network for player forwarding' },
      ];
    case 'bungeecord':
      return [{ path: 'config.yml', what: 'port, shown players, IP forwarding, PROXY protocol' }];
    default:
      return [{ path: 'server.properties', what: 'port and maximum players' }];
  }
}

function gameFiles({ software }: SoftwareFacts, behindProxy: boolean): readonly Addition[] {
  const properties: Addition = {
    path: 'server.properties',
    what: behindProxy
      ? 'port, maximum players, and online-mode off: the proxy authenticates players'
      : 'port and maximum players',
  };
  const family = softwareFamily(software);
  if (!behindProxy || (family !== 'paper' && family !== 'bukkit' && family !== 'practice'))
    return [properties];
  const spigot: Addition = {
    path: 'spigot.yml',
    what: 'player forwarding from proxies, if they use the legacy mode',
  };
  const paper: Addition = {
    path: 'config/paper-global.yml',
    what: 'player forwarding from Velocity, with the secret of the network',
  };
  return family === 'paper' ? [properties, spigot, paper] : [properties, spigot];
}
