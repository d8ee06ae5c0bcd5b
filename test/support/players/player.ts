import { once, type EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { connect, type Server, type Socket } from 'node:net';

/**
 * The part of minecraft-protocol that these tests use. The package's own types need packages that exist only in
 * test/peers.
 */
export interface ProtocolClient extends EventEmitter {
  readonly socket: Socket;
  setSocket(socket: Socket): void;
  chat(message: string): void;
  write(packet: string, fields: object): void;
  end(reason?: string): void;
}

/** Server of the library, which emits `listening` and `playerJoin`. */
export interface ProtocolServer extends EventEmitter {
  readonly socketServer: Server;
  close(): void;
}

interface ProtocolStatus {
  readonly version: { readonly name: string; readonly protocol: number };
  readonly players: { readonly online: number; readonly max: number };
  readonly description: unknown;
}

interface MinecraftProtocol {
  /** Minecraft versions that the library supports, oldest first. */
  readonly supportedVersions: readonly string[];
  createClient(options: {
    host: string;
    port: number;
    username: string;
    version: string;
    auth: 'offline';
    fakeHost?: string | undefined;
    connect?: (client: ProtocolClient) => void;
  }): ProtocolClient;
  createServer(options: {
    host: string;
    port: number;
    version: string;
    'online-mode': boolean;
    hideErrors: boolean;
  }): ProtocolServer;
  ping(options: {
    host: string;
    port: number;
    version?: string;
    closeTimeout?: number;
  }): Promise<ProtocolStatus>;
}

/**
 * Maximum time for the server to close its side of the connection when the player leaves (ms). After this time, the
 * player closes the connection.
 */
const LEAVE_TIMEOUT_MS = 2_000;

/**
 * Loads the client library minecraft-protocol, which takes about half a second. The library is in a separate package
 * because of its size.
 */
export function loadMinecraftProtocol(): MinecraftProtocol {
  const peers = createRequire(new URL('../../peers/package.json', import.meta.url));
  try {
    return peers('minecraft-protocol') as MinecraftProtocol;
  } catch (cause) {
    throw new Error('The test players are not installed; run: npm ci --prefix test/peers', { cause });
  }
}

export interface JoinOptions {
  readonly host?: string;
  readonly port: number;
  /** Address that the player has typed. The client sends it to the server. Default: `host`. */
  readonly address?: string | undefined;
  /** Name of 1 to 16 letters, digits and underscores. */
  readonly username: string;
  /** Minecraft version of the client. */
  readonly version?: string;
  /** Bytes to send before anything else, such as the PROXY header of a load balancer. */
  readonly header?: Buffer;
  /** Source address of the connection. */
  readonly from?: string;
}

/** Player with a standard client library. The client answers keep-alives until the player leaves or is kicked. */
export class Player {
  readonly username: string;
  /** All chat and system lines that the player received, oldest first. */
  readonly heard: string[] = [];
  /**
   * Resolves with the server's reason when the player is kicked. Rejects if the connection closes for another reason.
   */
  readonly kicked: Promise<string>;
  readonly #client: ProtocolClient;
  readonly #ended: Promise<void>;
  #keepAlives = 0;
  #arrivals = 0;
  #isGone = false;

  constructor(username: string, client: ProtocolClient) {
    this.username = username;
    this.#client = client;
    this.#ended = new Promise((resolve) => client.once('end', () => resolve()));
    this.kicked = new Promise((resolve, reject) => {
      // A server sends `kick_disconnect` during the game, and `disconnect` before the game.
      client.on('kick_disconnect', (packet: { reason: unknown }) => resolve(componentText(packet.reason)));
      client.on('disconnect', (packet: { reason: unknown }) => resolve(componentText(packet.reason)));
      client.on('end', (reason: unknown) =>
        reject(new Error(`${username} was not kicked, the connection ended: ${String(reason)}`)),
      );
    });
    // A rejection must not fail tests that do not await this promise.
    this.kicked.catch(() => undefined);
    client.on('keep_alive', () => this.#keepAlives++);
    client.once('end', () => (this.#isGone = true));
    client.on('position', (packet: { teleportId?: number }) => {
      this.#arrivals++;
      // Since Minecraft 1.9, a client confirms each position that the server sets.
      if (packet.teleportId !== undefined)
        client.write('teleport_confirm', { teleportId: packet.teleportId });
    });
    client.on('chat', (packet: { message: unknown }) => this.heard.push(componentText(packet.message)));
    client.on('system_chat', (packet: { content: unknown }) =>
      this.heard.push(componentText(packet.content)),
    );
    client.on('error', () => undefined);
  }

  /** Whether one side has closed the connection. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Number of servers on which the player has spawned. It is above 1 if a proxy has moved the player. */
  get arrivals(): number {
    return this.#arrivals;
  }

  /** Sends a chat message, or executes a command such as `/list`. */
  chat(text: string): void {
    this.#client.chat(text);
  }

  /** Sends a packet of the protocol. The fields have the names that minecraft-protocol uses. */
  send(packet: string, fields: object): void {
    this.#client.write(packet, fields);
  }

  /** Waits for this number of additional keep-alives. Rejects if the player is disconnected before. */
  async stay(keepAlives = 1): Promise<void> {
    const until = this.#keepAlives + keepAlives;
    const sentAway = this.kicked.then((reason) => Promise.reject(new Error(`kicked: ${reason}`)));
    while (this.#keepAlives < until) {
      await Promise.race([once(this.#client, 'keep_alive'), sentAway]);
    }
  }

  /** Leaves like a client that is closed properly. Does nothing if the player has already left. */
  async leave(): Promise<void> {
    const timer = setTimeout(() => this.drop(), LEAVE_TIMEOUT_MS);
    this.#client.end();
    await this.#ended;
    clearTimeout(timer);
  }

  /** Leaves without a proper end. Unlike after a loss of power, the operating system still closes the connection. */
  drop(): void {
    this.#client.socket.destroy();
  }
}

/**
 * Joins a server or proxy as a player.
 *
 * @returns the player, once the player has spawned and its position is known
 * @throws Error with the server's reason if the server refuses the player; Error of the connection in other cases
 */
export async function joinAsPlayer(options: JoinOptions): Promise<Player> {
  const { host = '127.0.0.1', port, username, version = '1.8.8', header, from, address } = options;
  const client = loadMinecraftProtocol().createClient({
    host,
    port,
    username,
    version,
    auth: 'offline',
    fakeHost: address,
    connect(self) {
      const socket = connect({ host, port, ...(from === undefined ? {} : { localAddress: from }) });
      // Register this listener before the client's listener, so that the header is sent first.
      if (header !== undefined) socket.once('connect', () => socket.write(header));
      self.setSocket(socket);
    },
  });
  const player = new Player(username, client);
  await new Promise<void>((resolve, reject) => {
    const refuse = (why: string, cause?: unknown): void => {
      client.end();
      reject(new Error(why, { cause }));
    };
    client.once('position', () => resolve());
    client.once('disconnect', (packet: { reason: unknown }) => refuse(componentText(packet.reason)));
    client.once('kick_disconnect', (packet: { reason: unknown }) => refuse(componentText(packet.reason)));
    client.once('error', (error: Error) => refuse(error.message || String(error), error));
    client.once('end', (reason: unknown) => refuse(`the connection ended: ${String(reason)}`));
  });
  return player;
}

/** Returns the text of a chat component in JSON or NBT. A component without plain text is returned as JSON. */
function componentText(component: unknown): string {
  if (typeof component !== 'string') return plainText(fromNbt(component)) ?? JSON.stringify(component);
  try {
    return plainText(JSON.parse(component)) ?? component;
  } catch {
    // The component is not JSON, so its text is shown unchanged.
    return component;
  }
}

/** Converts an NBT tag to a plain value. minecraft-protocol represents tags as `{ type, value }`. */
function fromNbt(tag: unknown): unknown {
  if (typeof tag !== 'object' || tag === null || !('type' in tag) || !('value' in tag)) return tag;
  const { type, value } = tag;
  if (type === 'compound') {
    return Object.fromEntries(Object.entries(value ?? {}).map(([key, child]) => [key, fromNbt(child)]));
  }
  if (type !== 'list' || typeof value !== 'object' || value === null || !('value' in value)) return value;
  const { value: elements } = value;
  if (!Array.isArray(elements)) return value;
  return elements.map((element: unknown) => fromNbt({ ...value, value: element }));
}

/**
 * Returns the text of a component and its children. Null if the component itself contains no text, for example
 * because it is a translation.
 */
function plainText(parsed: unknown): string | null {
  if (typeof parsed === 'string') return parsed;
  if (typeof parsed !== 'object' || parsed === null || !('text' in parsed)) return null;
  const extra = 'extra' in parsed && Array.isArray(parsed.extra) ? parsed.extra : [];
  return [String(parsed.text), ...extra.map((part) => plainText(part) ?? '')].join('');
}
