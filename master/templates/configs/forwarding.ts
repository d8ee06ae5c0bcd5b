import { softwareFamily, type SoftwareFamily } from '#shared/link/software.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { BUNGEE_CONFIG, bungeeChecksPlayers } from './bungee-config.ts';
import { proxyKindOf, type ProxyKind } from './proxy-kind.ts';
import { readConfigs, type FoundConfigs } from './read-configs.ts';
import { readVelocityConfig, VELOCITY_CONFIG, type ForwardingMode } from './velocity-config.ts';
import { DefaultFileProblem } from '../default-files/default-files.ts';
import { diskCode } from '../disk-problem.ts';
import type { Forwarding } from '../provision.ts';
import { withServiceFiles, type FilePlaces, type TemplateSource } from '../service-files.ts';

/** Settings of a proxy template for player authentication and forwarding. */
export interface ProxySettings {
  /** Kind of the proxy; null if Overworld does not know it. */
  readonly kind: ProxyKind | null;
  /** Whether the proxy authenticates players with Mojang. */
  readonly checked: boolean;
  /** Velocity's forwarding mode as set by the admin; null if not set. */
  readonly mode: ForwardingMode | null;
}

/**
 * Reads the settings of a proxy template for player authentication and forwarding. Its default service files replace
 * its own files of the same paths. Settings in unreadable files count as missing: running services of the template
 * are not affected, and the next start of a service reports the problem.
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
    if (diskCode(error) !== undefined) return UNKNOWN;
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

/** Calls `read`, or returns `otherwise` if the content of a file is unusable. */
async function orElse<T>(read: () => T | Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DefaultFileProblem) return otherwise;
    throw error;
  }
}

/**
 * Decides how the proxies of a network forward player identities to its game servers.
 *
 * Modern forwarding is used if two conditions are met. First, every proxy is a Velocity whose mode permits it.
 * Second, the admin chose modern forwarding on one of the proxies, or no game server runs software without support
 * for it (Spigot or the practice server). Otherwise legacy forwarding is used.
 *
 * The result's `checked` is true only if all proxies authenticate players with Mojang. If one does not, player ids
 * cannot be trusted.
 *
 * Example: a Velocity proxy without a mode and only Paper game servers give `modern`; with one Spigot server it is
 * `legacy`.
 *
 * @param network.proxies settings of the proxy templates
 * @param network.gameServers software named in the jar manifests of all other templates
 * @returns null if no proxy is of a known kind; forwarding is not set up then
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
