import { afterEach } from 'vitest';
import { joinAsPlayer, loadMinecraftProtocol, type JoinOptions, type Player } from './player.ts';
import { startPracticeServer, type PracticeServer, type PracticeServerOptions } from './practice-server.ts';

/**
 * One Minecraft version for each protocol of the practice server. The last version is the newest version that
 * minecraft-protocol supports.
 */
export const PRACTICE_VERSIONS = [
  '1.8.8',
  '1.12.2',
  loadMinecraftProtocol().supportedVersions.at(-1) ?? 'none',
] as const;

export interface PracticeGame {
  readonly start: (options?: PracticeServerOptions) => Promise<PracticeServer>;
  readonly join: (server: { readonly port: number }, options: Omit<JoinOptions, 'port'>) => Promise<Player>;
}

/** Provides practice servers and players for the tests of one file. Removes them after each test. */
export function usePracticeGame(): PracticeGame {
  const servers: PracticeServer[] = [];
  const players: Player[] = [];
  afterEach(async () => {
    // Close the connections without a proper end, because the server may hang.
    for (const player of players.splice(0)) player.drop();
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });
  return {
    async start(options) {
      const server = await startPracticeServer(options);
      servers.push(server);
      return server;
    },
    async join(server, options) {
      const player = await joinAsPlayer({ port: server.port, ...options });
      players.push(player);
      return player;
    },
  };
}
