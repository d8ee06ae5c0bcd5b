import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer, type TLSSocket } from 'node:tls';
import { monotonicMs } from '#shared/node/clock.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { AddressGate } from './address-gate.ts';
import { isOwnAddress, ownAddresses } from './addresses.ts';
import { PendingConnections } from './pending-connections.ts';
import { takenBy } from './port-holder.ts';
import type { LinkTiming } from '../timing.ts';

/**
 * Maximum number of connections: one for each of the 10,000 services of a master (docs/measuring.md), and some that
 * are just being replaced. Only identified services stay connected, one connection each. An idle connection takes
 * 40 KB of memory, of which 8 KB are heap (measured with 1,440 connections, Node 20); 10,000 take 400 MB.
 */
const MAX_CONNECTIONS = 11_000;

/** Maximum number of connections that have not greeted yet. */
const MAX_STRANGERS = 64;

export interface ListenerOptions {
  readonly hostname: string;
  readonly port: number;
  readonly key: string;
  readonly certificate: string;
  readonly timing: LinkTiming;
  /** Called for each TLS connection. `greeted` must be called soon, once the sender has proven its identity. */
  readonly onConnection: (socket: TLSSocket, greeted: () => void) => void;
  /** Called when it begins to listen, or cannot: see {@link Listener.error}. */
  readonly onChange: () => void;
  /** Called for each rejected connection, to count them. */
  readonly onTurnedAway: () => void;
}

/**
 * Listens on the address of the link, and retries until that works. Connections are limited before any work for
 * TLS.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #tls: TlsServer;
  readonly #pending: PendingConnections;
  readonly #gate = new AddressGate();
  readonly #open = new Map<string, Socket>();
  #server: Server | null = null;
  #retry: NodeJS.Timeout | null = null;
  #closed = false;
  error: OverworldError | null = null;
  listening: { readonly host: string; readonly port: number } | null = null;

  constructor(options: ListenerOptions) {
    this.#options = options;
    const { key, certificate, timing } = options;
    this.#pending = new PendingConnections({ max: MAX_STRANGERS, timeoutMs: timing.greetingMs });
    // Never listens itself: accepted connections are passed to it.
    this.#tls = createTlsServer({
      key,
      cert: certificate,
      minVersion: 'TLSv1.2',
      handshakeTimeout: timing.greetingMs,
    });
    this.#tls.on('secureConnection', (socket) => this.#meet(socket));
    // The client sent no valid TLS, or rejected the certificate. A client that closes the connection itself does
    // not count as rejected, such as `doctor` after it has seen the certificate.
    this.#tls.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
      if (error.code !== 'ECONNRESET') options.onTurnedAway();
      socket.destroy();
    });
  }

  /** Resolves after the first attempt, successful or not. */
  async start(): Promise<void> {
    if (this.#closed) return;
    try {
      this.#server = await this.#listen();
      const { port } = this.#server.address() as AddressInfo;
      this.listening = { host: this.#options.hostname, port };
      this.error = null;
    } catch (error) {
      this.error = await toListenError(error, this.#options);
      if (!this.#isClosed()) this.#retry = setTimeout(() => void this.start(), this.#options.timing.retryMs);
    }
    this.#options.onChange();
    if (this.#isClosed()) await this.close();
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#pending.closeAll();
    for (const socket of this.#open.values()) socket.destroy();
    const server = this.#server;
    this.#server = null;
    if (server !== null) await new Promise((resolve) => server.close(resolve));
    this.listening = null;
  }

  /** A method, because TypeScript assumes that the field is unchanged after an await. */
  #isClosed(): boolean {
    return this.#closed;
  }

  async #listen(): Promise<Server> {
    const { hostname, port } = this.#options;
    if (!isOwnAddress(hostname)) {
      const own = ownAddresses().join(', ');
      throw new OverworldError('LINK_ADDRESS_FOREIGN', { address: hostname, own });
    }
    const server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: hostname, port }, () => {
        server.off('error', reject);
        resolve();
      });
    });
    // For example, no file descriptor is left for one connection. The others go on.
    server.on('error', () => this.#options.onTurnedAway());
    return server;
  }

  #accept(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    const isIn = this.#gate.admits(socket.remoteAddress, monotonicMs());
    if (!isIn || this.#open.size >= MAX_CONNECTIONS) {
      this.#options.onTurnedAway();
      // Closed without a TLS alert, which would cost more than it is worth; a plugin tries again.
      socket.resetAndDestroy();
      return;
    }
    if (!this.#pending.enter(socket)) this.#options.onTurnedAway();
    const ends = endsOf(socket);
    this.#open.set(ends, socket);
    socket.once('close', () => this.#open.delete(ends));
    this.#tls.emit('connection', socket);
  }

  #meet(socket: TLSSocket): void {
    const stranger = this.#open.get(endsOf(socket));
    this.#options.onConnection(socket, () => {
      if (stranger !== undefined) this.#pending.leave(stranger);
    });
  }
}

/** Returns a key that identifies an open connection, with or without TLS around it. */
function endsOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress ?? ''} ${remotePort ?? 0}`;
}

async function toListenError(error: unknown, { hostname, port }: ListenerOptions): Promise<OverworldError> {
  if (error instanceof OverworldError) return error as OverworldError;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const whys: Readonly<Record<string, string>> = {
    EACCES: 'the master may not use this port (those below 1024 are the system’s)',
    EADDRNOTAVAIL: 'the address is not up',
  };
  const told = whys[code] ?? (error instanceof Error ? error.message : String(error));
  const why = code === 'EADDRINUSE' ? await takenBy(port) : told;
  const at = hostname.includes(':') ? `[${hostname}]` : hostname;
  return new OverworldError('LINK_LISTEN_FAILED', { address: `${at}:${port}`, why }, error);
}
