import { once, type EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { connect, type Socket } from 'node:net';

/** As much of minecraft-protocol as we use; its own types need packages that only exist in test/peers. */
interface ProtocolClient extends EventEmitter {
  readonly socket: Socket;
  setSocket(socket: Socket): void;
  chat(message: string): void;
  end(reason?: string): void;
}

interface ProtocolStatus {
  readonly version: { readonly name: string; readonly protocol: number };
  readonly players: { readonly online: number; readonly max: number };
  readonly description: unknown;
}

interface MinecraftProtocol {
  createClient(options: {
    host: string;
    port: number;
    username: string;
    version: string;
    auth: 'offline';
    connect?: (client: ProtocolClient) => void;
  }): ProtocolClient;
  ping(options: {
    host: string;
    port: number;
    version?: string;
    closeTimeout?: number;
  }): Promise<ProtocolStatus>;
}

/** How long a hung server may take to close its side when the player leaves. */
const LEAVE_TIMEOUT_MS = 2_000;

/** Loads the stock client library, which lives in a package of its own because of its size. Takes about half a second. */
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
  /** 1 to 16 letters, digits and underscores. */
  readonly username: string;
  /** Minecraft version of the client. */
  readonly version?: string;
  /** Sent before anything else, as by a load balancer. */
  readonly header?: Buffer;
  /** Address of this machine to come from. */
  readonly from?: string;
}

/** A player in the game, played by a stock client library: answers keep-alives until it leaves or is sent away. */
export class Player {
  readonly username: string;
  /** All chat and system lines it was shown, oldest first. */
  readonly heard: string[] = [];
  /** Resolves with the server's reason when kicked; rejects when the connection ends in any other way. */
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
      client.on('kick_disconnect', (packet: { reason: unknown }) => resolve(componentText(packet.reason)));
      client.on('end', (reason: unknown) =>
        reject(new Error(`${username} was not kicked, the connection ended: ${String(reason)}`)),
      );
    });
    // Whoever is not interested in a kick must not fail by one.
    this.kicked.catch(() => undefined);
    client.on('keep_alive', () => this.#keepAlives++);
    client.once('end', () => (this.#isGone = true));
    client.on('position', () => this.#arrivals++);
    client.on('chat', (packet: { message: unknown }) => this.heard.push(componentText(packet.message)));
    client.on('error', () => undefined);
  }

  /** Its connection has ended, from whichever side. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** How many servers it has spawned on: more than one when a proxy has moved it. */
  get arrivals(): number {
    return this.#arrivals;
  }

  /** Says something to all players, or runs a player's command such as `/list`. */
  chat(text: string): void {
    this.#client.chat(text);
  }

  /** Resolves once the server has found the player alive that many times more; rejects when it is sent away before. */
  async stay(keepAlives = 1): Promise<void> {
    const until = this.#keepAlives + keepAlives;
    const sentAway = this.kicked.then((reason) => Promise.reject(new Error(`kicked: ${reason}`)));
    while (this.#keepAlives < until) {
      await Promise.race([once(this.#client, 'keep_alive'), sentAway]);
    }
  }

  /** Leaves as a client does that is closed properly. Fine when it is gone already. */
  async leave(): Promise<void> {
    const timer = setTimeout(() => this.drop(), LEAVE_TIMEOUT_MS);
    this.#client.end();
    await this.#ended;
    clearTimeout(timer);
  }

  /** Leaves as a client does whose machine loses power, except that the system still closes the connection. */
  drop(): void {
    this.#client.socket.destroy();
  }
}

/**
 * Joins a server or proxy as a player.
 *
 * @returns once the player has spawned and knows its position
 * @throws Error with the server's own reason when it refuses, else with the connection's
 */
export async function joinAsPlayer(options: JoinOptions): Promise<Player> {
  const { host = '127.0.0.1', port, username, version = '1.8.8', header, from } = options;
  const client = loadMinecraftProtocol().createClient({
    host,
    port,
    username,
    version,
    auth: 'offline',
    connect(self) {
      const socket = connect({ host, port, ...(from === undefined ? {} : { localAddress: from }) });
      // Before the client's own listener, so that it comes first.
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

/** The text of a chat component, which comes as JSON text; components without plain text come back as they are. */
function componentText(component: unknown): string {
  if (typeof component !== 'string') return JSON.stringify(component);
  try {
    return plainText(JSON.parse(component)) ?? component;
  } catch {
    // Plain text: shown as it is.
    return component;
  }
}

/** Of a component with all that hangs on it; null when it has no text of its own (a translation). */
function plainText(parsed: unknown): string | null {
  if (typeof parsed === 'string') return parsed;
  if (typeof parsed !== 'object' || parsed === null || !('text' in parsed)) return null;
  const extra = 'extra' in parsed && Array.isArray(parsed.extra) ? parsed.extra : [];
  return [String(parsed.text), ...extra.map((part) => plainText(part) ?? '')].join('');
}
