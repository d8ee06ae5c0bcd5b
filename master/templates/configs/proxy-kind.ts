import { softwareFamily } from '#shared/link/software.ts';
import type { ConfigFile } from './config-file.ts';

/** Proxies whose configuration Overworld knows. `bungeecord` stands for its forks, too: they read the same file. */
export type ProxyKind = 'bungeecord' | 'velocity';

/**
 * Which proxy a `server.jar` is: by what its manifest tells (`readJar`); where that says nothing, by the file that lies there. Null: unknown, so that no file of it may be touched.
 */
export function proxyKindOf(software: string | null, files: readonly ConfigFile[]): ProxyKind | null {
  const family = softwareFamily(software);
  if (family === 'velocity' || family === 'bungeecord') return family;
  const text = (path: string) => files.find((file) => file.path === path)?.text;
  if (text('velocity.toml') !== undefined) return 'velocity';
  // Many programs have a config.yml; one with listeners is BungeeCord's.
  return /^["']?listeners["']?[ \t]*:/im.test(text('config.yml') ?? '') ? 'bungeecord' : null;
}
