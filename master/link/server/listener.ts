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
 * Most connections at all: one for each of the 10,000 services that one master is made for (docs/measuring.md), and some whose newer
 * ones have just come. Only who has proven whose it is stays, one for each service, so services alone can reach it. Measured
 * (1,440 idle ones, Node 20): one takes 40 KB of memory, 8 KB of it on the heap; 10,000 take 400 MB.
 */
const MAX_CONNECTIONS = 11_000;

/** Most connections that have not greeted yet. */
const MAX_STRANGERS = 64;

export interface ListenerOptions {
  readonly hostname: string;
  readonly port: number;
  readonly key: string;
  readonly certificate: string;
  readonly timing: LinkTiming;
  /** A connection with TLS; `greeted` is to be called when it has proven whose it is, soon. */
  readonly onConnection: (socket: TLSSocket, greeted: () => void) => void;
  /** It listens, or it cannot: {@link Listener.error}. */
  readonly onChange: () => void;
  /** Somebody was turned away; for counting. */
  readonly onTurnedAway: () => void;
}

/**
 * Listens on the address of the link, and tries again for as long as that fails. Connections are counted before a byte of
 * TLS is spent on them.
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
    // Never listens itself: connections are handed to it.
    this.#tls = createTlsServer({
      key,
      cert: certificate,
      minVersion: 'TLSv1.2',
      handshakeTimeout: timing.greetingMs,
    });
    this.#tls.on('secureConnection', (socket) => this.#meet(socket));
    // Garbage instead of TLS, or a fingerprint that was not liked. Who leaves by itself, as `doctor` does once it has seen
    // the certificate, was not turned away.
    this.#tls.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
      if (error.code !== 'ECONNRESET') options.onTurnedAway();
      socket.destroy();
    });
  }

  /** Resolves after the first try, successful or not. */
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

  /** Asked again after each wait: TypeScript takes the field for unchanged. */
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
    // Such as no descriptors left for one connection: the others go on.
    server.on('error', () => this.#options.onTurnedAway());
    return server;
  }

  #accept(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    const isIn = this.#gate.admits(socket.remoteAddress, monotonicMs());
    if (!isIn || this.#open.size >= MAX_CONNECTIONS) {
      this.#options.onTurnedAway();
      // Without a word of TLS, which would cost more than it tells: who is a plugin comes again.
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

/** Tells a connection from all others that are open at the same time, with TLS around it or without. */
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
