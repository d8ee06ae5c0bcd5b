import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { loadMinecraftProtocol, type ProtocolClient, type ProtocolServer } from './player.ts';
import { packetFrame, textField } from './wire.ts';

/** First protocol version in which the library represents the flags of a position as an object (1.21.2). */
const FLAGS_AS_OBJECT = 768;

/** Packet of Minecraft 26.1 with an empty registry, in the format of a compressed connection. */
const EMPTY_REGISTRY = packetFrame(0x00, Buffer.of(0x07), textField('minecraft:chat_type'), Buffer.of(0));

interface MinecraftData {
  readonly loginPacket: object;
  readonly version: { readonly version: number };
}

/** Server of minecraft-protocol without a world, for all versions of Minecraft that the library supports. */
export class LibraryServer {
  readonly port: number;
  /** View distances in the settings that clients send before the game, oldest first. */
  readonly viewDistances: number[] = [];
  readonly #server: ProtocolServer;
  readonly #players: ProtocolClient[] = [];

  private constructor(server: ProtocolServer) {
    this.#server = server;
    this.port = (server.socketServer.address() as AddressInfo).port;
    server.on('connection', (client: ProtocolClient) =>
      client.on('settings', ({ viewDistance }: { viewDistance: number }) =>
        this.viewDistances.push(viewDistance),
      ),
    );
  }

  /** @param options.losesClients when each connection breaks; by default, connections do not break */
  static async start(
    version: string,
    { losesClients }: { readonly losesClients?: 'before registries' | 'after a registry' } = {},
  ): Promise<LibraryServer> {
    const server = loadMinecraftProtocol().createServer({
      ...{ host: '127.0.0.1', port: 0, version },
      ...{ 'online-mode': false, hideErrors: true },
    });
    await once(server, 'listening');
    const started = new LibraryServer(server);
    server.on('playerJoin', (client: ProtocolClient) => started.#spawn(client, version));
    if (losesClients !== undefined) {
      server.on('connection', (client: ProtocolClient) =>
        client.once('login_acknowledged', () =>
          losesClients === 'after a registry' ? client.socket.end(EMPTY_REGISTRY) : client.socket.destroy(),
        ),
      );
    }
    return started;
  }

  #spawn(client: ProtocolClient, version: string): void {
    const peers = createRequire(new URL('../../peers/package.json', import.meta.url));
    const data = (peers('minecraft-data') as (version: string) => MinecraftData)(version);
    client.write('login', { ...data.loginPacket, entityId: 1 });
    client.write('position', {
      ...{ teleportId: 1, x: 0, y: 64, z: 0, dx: 0, dy: 0, dz: 0, yaw: 0, pitch: 0 },
      flags: data.version.version >= FLAGS_AS_OBJECT ? {} : 0,
    });
    this.#players.push(client);
  }

  /** Disconnects all players with a reason. */
  kick(reason: string): void {
    for (const client of this.#players.splice(0)) client.end(reason);
  }

  close(): void {
    this.#server.close();
  }
}
