import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { Balancer } from '#master/balancer/balancer.ts';
import { balancerPorts } from '#master/balancer/config/ports.ts';
import { openHaproxyBalancer } from '#master/balancer/haproxy-balancer.ts';
import { readConfigFile } from '#master/balancer/haproxy/config-file.ts';
import { openForwardingSecret } from '#master/ingress/forwarding-secret.ts';
import type { Supplies } from '#master/ingress/supplies.ts';
import { ProxyTemplates } from '#master/ingress/proxy-templates.ts';
import { advertisedAddress } from '#master/link/server/advertised-address.ts';
import { isOwnAddress } from '#master/link/server/own-addresses.ts';
import type { PluginLink } from '#master/link/link.ts';
import { openLink } from '#master/link/open-link.ts';
import type { LinkTiming } from '#master/link/timing.ts';
import { pluginJarPath } from '#master/plugin/plugin-jar.ts';
import type { ConfigStore } from '#master/store/config-store.ts';
import type { DataFolder } from '#master/store/data-folder.ts';
import type { SharedFiles } from '#master/templates/default-files/shared-files.ts';
import type { TemplateFolders } from '#master/templates/template-files.ts';

export interface PlayerEntryOptions {
  readonly folder: DataFolder;
  readonly cluster: string;
  readonly config: ConfigStore;
  readonly templates: TemplateFolders;
  readonly sharedFiles: SharedFiles;
  readonly log: Logger;
  readonly now: () => number;
  /** Overrides some of the link's `DEFAULT_TIMING`. */
  readonly linkTiming?: Partial<LinkTiming> | undefined;
  /** Called when the state of the link or the balancer has changed. */
  readonly onState: () => void;
}

/**
 * The parts of the master that let players join: the load balancer, the plugin link, and the parts that give services
 * what they need to accept players.
 */
export interface OpenedPlayerEntry {
  readonly link: PluginLink;
  readonly balancer: Balancer;
  readonly supplies: Supplies;
  readonly proxies: ProxyTemplates;
  /** Address at which other machines reach this machine. */
  readonly ownHost: string;
  /**
   * Address that the app shows to people: `communication.hostname`. It may belong to a NAT router in front of this
   * machine.
   */
  readonly shownHost: string;
  close(): Promise<void>;
}

/**
 * Opens the load balancer and the plugin link. The link uses the current `communication` settings. Later changes of
 * these settings apply after a restart of the master (docs/specification.md#communication).
 *
 * @throws OverworldError DATA_FAULTY, DISK_FULL
 */
export async function openPlayerEntry(options: PlayerEntryOptions): Promise<OpenedPlayerEntry> {
  const { folder, cluster, config, templates, sharedFiles, log, now, linkTiming: timing, onState } = options;
  const { hostname, port } = config.master.config.communication;
  const ownHost = isOwnAddress(hostname) ? advertisedAddress(hostname) : '127.0.0.1';
  const shownHost = advertisedAddress(hostname);
  const secret = await openForwardingSecret(folder.config);
  const supplies = await loadSupplies(log);
  const { config: linkConfig, state } = folder;
  const link = await openLink({
    config: linkConfig,
    state,
    hostname,
    port,
    cluster,
    log,
    now,
    onState,
    ...(timing === undefined ? {} : { timing }),
  });
  try {
    const settings = () => {
      const { config_path: configPath, entry_addition: entryAddition } = config.master.config.balancer;
      return { configPath, dataFolder: folder.root, entryAddition, host: shownHost };
    };
    const balancer = await openHaproxyBalancer({
      settings,
      log,
      playersOn: (id) => link.playersOn(id),
    });
    return {
      link,
      balancer,
      supplies,
      ownHost,
      shownHost,
      proxies: new ProxyTemplates({ config, templates, log, sharedFiles, secret }),
      close: async () => {
        await balancer.close();
        await link.close();
      },
    };
  } catch (error) {
    await link.close();
    throw error;
  }
}

/**
 * Returns the ports of this machine on which the load balancer listens, or which it needs to be free. Services must
 * not get these ports.
 */
export async function portsOfBalancer(
  config: Pick<ConfigStore, 'master'>,
  dataFolder: string,
): Promise<ReadonlySet<number>> {
  const { config_path: configPath } = config.master.config.balancer;
  const reading = await readConfigFile({ configPath, dataFolder });
  // If HAProxy's file is missing or unusable, the master writes no section to it, so no ports are needed.
  return reading.kind === 'read' ? balancerPorts(reading.file.text) : new Set();
}

/**
 * Loads the plugin jar. The master also works without it: the missing plugin is reported as soon as a service needs
 * it.
 */
async function loadSupplies(log: Logger): Promise<Supplies> {
  try {
    return { pluginJar: await readFile(pluginJarPath()), missing: null };
  } catch (thrown) {
    log.warn({ err: thrown }, 'services get no plugin');
    return { pluginJar: null, missing: toOverworldError(thrown).message };
  }
}
