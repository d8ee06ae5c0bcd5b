import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer, type TLSSocket } from 'node:tls';
import { monotonicMs } from '#shared/node/clock.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { AddressGate, type AddressRate } from '#shared/node/address-gate.ts';
import { isOwnAddress, ownAddresses } from './own-addresses.ts';
import { PendingConnections } from '#shared/node/pending-connections.ts';
import { takenBy } from './port-holder.ts';
import type { LinkTiming } from '../timing.ts';

/**
 * Maximum number of connections: one for each of the 10,000 services of a master (docs/measuring.md), and some more
 * for connections that are being replaced. Only identified services stay connected, with one connection each. An idle
 * connection takes 40 KB of memory, of which 8 KB are heap (measured with 1,440 connections, Node 20), so 10,000
 * connections take 400 MB.
 */
const MAX_CONNECTIONS = 11_000;

/**
 * Maximum number of connections that the kernel accepts before this process does. It is the kernel's own default limit
 * (`net.core.somaxconn`). After a restart of the master, the plugins of all services connect at the same time. If the
 * queue is full, the kernel drops a connection, and its plugin only notices this by a timeout.
 */
const BACKLOG = 4_096;

/** Maximum number of open connections that have not sent a greeting yet. */
const MAX_STRANGERS = 64;

/**
 * Maximum rate of connections from one address. The burst is four times the number of services of a large node,
 * because all of them connect after a restart of the master. After the burst, TLS handshakes of one address take at
 * most a tenth of one core.
 */
export const PLUGIN_RATE: AddressRate = { burst: 256, perSecond: 64 };

export interface ListenerOptions {
  readonly hostname: string;
  readonly port: number;
  readonly key: string;
  readonly certificate: string;
  readonly timing: LinkTiming;
  /**
   * Called for each TLS connection. `greeted` must be called as soon as the sender has proven its identity. If it is
   * not called in time, the connection is closed.
   */
  readonly onConnection: (socket: TLSSocket, greeted: () => void) => void;
  /** Called when the listener begins to listen, or fails to: see {@link Listener.error}. */
  readonly onChange: () => void;
  /** Called for each rejected connection, to count them. */
  readonly onTurnedAway: () => void;
}

/**
 * Listens on the address of the link, and retries until that works. Connections beyond the limits are closed before
 * any work for TLS is done.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #tls: TlsServer;
  readonly #pending: PendingConnections;
  readonly #gate = new AddressGate(PLUGIN_RATE);
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
    // This TLS server never listens itself: the accepted connections are passed to it.
    this.#tls = createTlsServer({
      key,
      cert: certificate,
      minVersion: 'TLSv1.2',
      handshakeTimeout: timing.greetingMs,
    });
    this.#tls.on('secureConnection', (socket) => this.#meet(socket));
    // The client did not send valid TLS, or rejected the certificate. A client that only closes the connection is not
    // counted, for example `doctor` after it has read the certificate.
    this.#tls.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
      if (error.code !== 'ECONNRESET') options.onTurnedAway();
      socket.destroy();
    });
  }

  /**
   * Starts to listen. Resolves after the first attempt, successful or not. After a failure, {@link error} contains
   * the reason, and the listener tries again every `timing.retryMs` until it succeeds.
   */
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

  /** Stops listening, and closes all connections. */
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

  /**
   * Reports whether the listener is closed. This is a method because TypeScript assumes that a field does not change
   * during an await.
   */
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
      server.listen({ host: hostname, port, backlog: BACKLOG }, () => {
        server.off('error', reject);
        resolve();
      });
    });
    // The error concerns only one new connection, for example because no file descriptor was left for it.
    server.on('error', () => this.#options.onTurnedAway());
    return server;
  }

  #accept(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    const isIn = this.#gate.admits(socket.remoteAddress, monotonicMs());
    if (!isIn || this.#open.size >= MAX_CONNECTIONS) {
      this.#options.onTurnedAway();
      // The connection is closed without a TLS alert, which would cost too much work. The plugin tries again.
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
      if (stranger !== undefined) this.#pending.identify(stranger);
    });
  }
}

/** Returns a string that identifies an open connection. It is the same for the TCP socket and its TLS socket. */
function endsOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress ?? ''} ${remotePort ?? 0}`;
}

async function toListenError(error: unknown, { hostname, port }: ListenerOptions): Promise<OverworldError> {
  if (error instanceof OverworldError) return error as OverworldError;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const whys: Readonly<Record<string, string>> = {
    EACCES: 'the master has no permission to use this port (ports below 1024 are privileged)',
    EADDRNOTAVAIL: 'the address is not available on this machine',
  };
  const told = whys[code] ?? (error instanceof Error ? error.message : String(error));
  const why = code === 'EADDRINUSE' ? await takenBy(port) : told;
  const at = hostname.includes(':') ? `[${hostname}]` : hostname;
  return new OverworldError('LINK_LISTEN_FAILED', { address: `${at}:${port}`, why }, error);
}
