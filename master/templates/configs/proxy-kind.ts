import { softwareFamily } from '#shared/link/software.ts';
import type { ServiceConfigFile } from './config-file.ts';

/** Proxies whose configuration Overworld can change. `bungeecord` includes its forks, which read the same file. */
export type ProxyKind = 'bungeecord' | 'velocity';

/**
 * Determines the kind of a proxy from the manifest of its `server.jar` (`readJar`). If the manifest names no known
 * proxy, uses the existing config files. Returns null if the kind is unknown; the proxy's own config files must then
 * not be changed.
 */
export function proxyKindOf(software: string | null, files: readonly ServiceConfigFile[]): ProxyKind | null {
  const family = softwareFamily(software);
  if (family === 'velocity' || family === 'bungeecord') return family;
  const text = (path: string) => files.find((file) => file.path === path)?.text;
  if (text('velocity.toml') !== undefined) return 'velocity';
  // Many programs have a config.yml; one with listeners belongs to BungeeCord.
  return /^["']?listeners["']?[ \t]*:/im.test(text('config.yml') ?? '') ? 'bungeecord' : null;
}
