import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import type { Backend } from '#shared/link/messages.ts';
import type { PluginLink, LinkedService } from '#master/link/link.ts';
import { openLink, type LinkOptions } from '#master/link/open-link.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/**
 * The master's side of the plugin link on a free loopback port. The test plays the role of all other parts of the
 * master.
 */
export interface LinkFixture {
  readonly root: string;
  readonly link: PluginLink;
  /** Returns the complete log. */
  readonly logged: () => string;
  /** Closes the link, runs `between`, and opens the link again on the same port. */
  restart(between?: () => Promise<void>): Promise<void>;
}

export async function openLinkFixture(options: Partial<LinkOptions> = {}): Promise<LinkFixture> {
  const root = temporaryFolder();
  const folders = { config: join(root, 'config'), state: join(root, 'state') };
  for (const folder of Object.values(folders)) await mkdir(folder, { mode: 0o700 });
  const lines: string[] = [];
  const log: Logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const open = (port: number): Promise<PluginLink> =>
    openLink({
      ...{ ...folders, hostname: '127.0.0.1', port, cluster: 'test', log, now: Date.now },
      timing: { tickMs: 50, moreMs: 20_000, backendsMs: 20, backendsOfServersMs: 50, networkMs: 50 },
      ...options,
    });
  let link = await open(options.port ?? 0);
  return {
    root,
    get link() {
      return link;
    },
    logged: () => lines.join(''),
    restart: async (between) => {
      const port = link.state.listening?.port ?? 0;
      await link.close();
      await between?.();
      link = await open(port);
    },
  };
}

/** Returns services with these IDs, such as `proxy-1` and `lobby-2`. IDs that begin with `proxy` are proxies. */
export function services(...ids: string[]): LinkedService[] {
  return ids.map((id) => ({ id, isProxy: id.startsWith('proxy'), family: 'other', pinged: null }));
}

/** Returns a game server in the format that proxies receive. */
export function backend(id: string, change: Partial<Backend> = {}): Backend {
  return {
    ...{ id, template: id.slice(0, id.lastIndexOf('-')), name: 'A game', host: '127.0.0.1', port: 25_565 },
    ...{ fallback: false, permission: '', players: 0, maxPlayers: 10, fillLevel: 8, open: true },
    ...change,
  };
}
