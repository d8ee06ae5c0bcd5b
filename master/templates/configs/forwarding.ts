import { softwareFamily, type SoftwareFamily } from '#shared/link/software.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { BUNGEE_CONFIG, bungeeChecksPlayers } from './bungee-config.ts';
import { proxyKindOf, type ProxyKind } from './proxy-kind.ts';
import { readConfigs, type FoundConfigs } from './read-configs.ts';
import { readVelocityConfig, VELOCITY_CONFIG, type ForwardingMode } from './velocity-config.ts';
import { DefaultFileProblem } from '../default-files/default-files.ts';
import type { Forwarding } from '../provision.ts';
import { withServiceFiles, type FilePlaces, type TemplateSource } from '../service-files.ts';

/** What the files of a proxy template say of who players are. */
export interface ProxySettings {
  /** Null: no proxy that Overworld knows. */
  readonly kind: ProxyKind | null;
  /** It asks Mojang who players are. */
  readonly checked: boolean;
  /** Velocity's mode as the admin set it; null: not set. */
  readonly mode: ForwardingMode | null;
}

/**
 * Reads what a proxy template's own configuration, that of its default service files over it, says of who players are. What cannot
 * be read counts as not said: others of its services may run well, and the start of the next one tells what is wrong.
 *
 * @param from.sharedFiles `<data>/files`
 */
export async function readProxySettings(source: TemplateSource, from: FilePlaces): Promise<ProxySettings> {
  try {
    return await withServiceFiles(source, from, async (sourceOf) =>
      settingsOf(await readConfigs(sourceOf, { isProxy: true, forwarding: null })),
    );
  } catch (error) {
    if (error instanceof DefaultFileProblem || error instanceof OverworldError) return UNKNOWN;
    throw error;
  }
}

const UNKNOWN: ProxySettings = { kind: null, checked: true, mode: null };

function settingsOf({ files, software }: FoundConfigs): Promise<ProxySettings> {
  const kind = proxyKindOf(software, files);
  const textOf = (path: string) => files.find((file) => file.path === path)?.text ?? '';
  const silent = { ...UNKNOWN, kind };
  switch (kind) {
    case 'bungeecord':
      return orElse(() => ({ ...silent, checked: bungeeChecksPlayers(textOf(BUNGEE_CONFIG)) }), silent);
    case 'velocity':
      return orElse(() => {
        const { checked, mode } = readVelocityConfig(textOf(VELOCITY_CONFIG));
        return { kind, checked, mode };
      }, silent);
    case null:
      return Promise.resolve(UNKNOWN);
  }
}

/** What cannot be read for the sake of its content. */
async function orElse<T>(read: () => T | Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DefaultFileProblem) return otherwise;
    throw error;
  }
}

/**
 * How proxies of a network tell its game servers who players are. Modern forwarding where every proxy is a Velocity that may
 * use it, and either the admin set one to it or no game server is one that cannot take part in it (Spigot, the practice
 * server); else legacy. Players count as
 * checked unless a proxy does not ask Mojang: then nobody may trust an id.
 *
 * @param network.proxies of templates that are proxies
 * @param network.gameServers what the manifests of all other templates' jars tell
 * @returns null: no proxy that Overworld knows, so nothing is set up
 */
export function forwardingOf(
  network: { readonly proxies: readonly ProxySettings[]; readonly gameServers: readonly (string | null)[] },
  secret: string,
): Forwarding | null {
  const proxies = network.proxies.filter(({ kind }) => kind !== null);
  if (proxies.length === 0) return null;
  const allMay = proxies.every(
    ({ kind, mode }) => kind === 'velocity' && mode !== 'legacy' && mode !== 'bungeeguard',
  );
  const isWanted =
    proxies.some(({ mode }) => mode === 'modern') ||
    !network.gameServers.some((software) => LEGACY_ONLY.includes(softwareFamily(software)));
  const isModern = allMay && isWanted;
  return {
    kind: isModern ? 'modern' : 'legacy',
    secret,
    checked: proxies.every(({ checked }) => checked),
  };
}

const LEGACY_ONLY: readonly SoftwareFamily[] = ['bukkit', 'practice'];
