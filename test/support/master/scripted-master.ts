import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { openIdentity, type LinkIdentity } from '#master/link/server/identity.ts';
import type { HandOver } from '#master/link/link.ts';
import {
  LINK_VERSION,
  pluginMessageSchema,
  type Backend,
  type MasterMessage,
  type PluginMessage,
} from '#shared/link/messages.ts';
import { waitFor } from '../wait-for.ts';

type Received<T extends PluginMessage['type']> = Extract<PluginMessage, { type: T }>;

/** Connection of a plugin to a {@link ScriptedMaster}. Checks that all received messages match the contract. */
export class ScriptedConnection {
  readonly #socket: TLSSocket;
  readonly received: PluginMessage[] = [];
  /** Received lines that violate the contract. */
  readonly wrong: string[] = [];
  readonly #pieces = new Map<PluginMessage, number>();
  #piecesSoFar = 0;
  readonly closed: Promise<unknown>;

  constructor(socket: TLSSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    // A plugin may disconnect without notice.
    socket.on('error', () => undefined);
    socket.on('data', () => (this.#piecesSoFar += 1));
    const lines = createInterface({ input: socket });
    lines.on('error', () => undefined);
    lines.on('line', (line) => {
      const parsed = pluginMessageSchema.safeParse(JSON.parse(line));
      if (parsed.success) this.received.push(parsed.data);
      else this.wrong.push(line);
      if (parsed.success) this.#pieces.set(parsed.data, this.#piecesSoFar);
    });
  }

  /** Returns the number of the TLS record that contained the end of a received message. */
  pieceOf(message: PluginMessage): number | undefined {
    return this.#pieces.get(message);
  }

  get protocol(): string | null {
    return this.#socket.getProtocol();
  }

  all<T extends PluginMessage['type']>(type: T): Received<T>[] {
    if (this.wrong.length > 0) throw new Error(`not as the contract has it: ${this.wrong.join('\n')}`);
    return this.received.filter((message): message is Received<T> => message.type === type);
  }

  /** Returns the first matching message of this type. Waits for the message if it has not arrived yet. */
  receive<T extends PluginMessage['type']>(
    type: T,
    fits: (message: Received<T>) => boolean = () => true,
  ): Promise<Received<T>> {
    return waitFor(() => this.all(type).find(fits), { what: `the plugin to say ${type}` });
  }

  send(message: MasterMessage): void {
    this.raw(`${JSON.stringify(message)}\n`);
  }

  raw(text: string | Buffer): void {
    this.#socket.write(text);
  }

  /** Sends a heartbeat every second from now on, as the real master does. */
  beat(): void {
    const timer = setInterval(() => this.send({ type: 'ping' }), 1_000);
    this.#socket.once('close', () => clearInterval(timer));
  }

  /** Stops reading from the connection. */
  stopReading(): void {
    this.#socket.pause();
  }

  cut(): void {
    this.#socket.destroy();
  }
}

/**
 * The master's side of the plugin link, which the test controls. It can send messages that the real master never
 * sends. Its certificate is like that of a real master.
 */
export class ScriptedMaster {
  readonly #identity: LinkIdentity;
  readonly connections: ScriptedConnection[] = [];
  #server: Server | null = null;
  #port = 0;

  constructor(identity: LinkIdentity) {
    this.#identity = identity;
  }

  get port(): number {
    return this.#port;
  }

  /** Starts listening. After {@link close}, it uses the same port again. */
  async listen(maxVersion: 'TLSv1.2' | 'TLSv1.3' = 'TLSv1.3'): Promise<void> {
    const { key, certificate } = this.#identity;
    const server = createServer({ key, cert: certificate, minVersion: 'TLSv1.2', maxVersion }, (socket) =>
      this.connections.push(new ScriptedConnection(socket)),
    );
    server.on('tlsClientError', () => undefined);
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  handOver(service: string): HandOver {
    return {
      host: '127.0.0.1',
      port: this.#port,
      fingerprint: this.#identity.fingerprint,
      service,
      token: this.#identity.tokenOf(service),
    };
  }

  /** Returns the connection with this number (from 0) once the plugin has sent its greeting. */
  async connection(number = 0): Promise<ScriptedConnection> {
    return waitFor(
      () => {
        const connection = this.connections[number];
        return connection !== undefined && connection.all('hello').length > 0 && connection;
      },
      { what: `connection ${number} to say hello` },
    );
  }

  /** Waits for a {@link connection}, and then accepts the plugin. Sends heartbeats unless `silent` is set. */
  async welcomed(number = 0, silent = false): Promise<ScriptedConnection> {
    const connection = await this.connection(number);
    connection.send({ type: 'welcome', version: LINK_VERSION, heartbeatMs: 1_000, silentAfterMs: 4_000 });
    if (!silent) connection.beat();
    return connection;
  }

  async close(): Promise<void> {
    for (const connection of this.connections) connection.cut();
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    server.close();
    await once(server, 'close');
  }
}

/** Creates a scripted master on loopback. The caller closes it. */
export async function startScriptedMaster(folder: string): Promise<ScriptedMaster> {
  const identity = await openIdentity(`${folder}/link.json`, { cluster: 'test', now: Date.now() });
  const master = new ScriptedMaster(identity);
  await master.listen();
  return master;
}

/** Returns a game server that is open to all players, a fallback, and empty. */
export function backendOf(id: string, changes: Partial<Backend> = {}): Backend {
  return {
    id,
    template: id.slice(0, id.lastIndexOf('-')),
    name: 'Lobby',
    host: '127.0.0.1',
    port: 25_600,
    fallback: true,
    permission: '',
    players: 0,
    maxPlayers: 20,
    fillLevel: changes.maxPlayers ?? 20,
    open: true,
    ...changes,
  };
}
