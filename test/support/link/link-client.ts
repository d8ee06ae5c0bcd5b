import { connect as connectPlainly } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import {
  LINK_VERSION,
  masterMessageSchema,
  type MasterMessage,
  type Platform,
  type PluginMessage,
} from '#shared/link/messages.ts';
import type { HandOver } from '#master/link/link.ts';
import { waitFor } from '../wait-for.ts';

export interface LinkClientOptions extends HandOver {
  readonly platform?: Platform;
  readonly version?: number;
  readonly allowance?: number;
  /** Source address of the connection. */
  readonly from?: string;
  /** Whether the client sends a valid greeting. If false, the test can send another greeting. */
  readonly greets?: boolean;
  /** Whether the client answers pings. */
  readonly answersPings?: boolean;
}

type Kind = MasterMessage['type'];
type Of<K extends Kind> = Extract<MasterMessage, { type: K }>;

/**
 * The plugin's side of the plugin link, for tests and benchmarks. Uses TLS with the pinned fingerprint, and JSON
 * lines that are validated against the contract.
 */
export class LinkClient {
  readonly messages: MasterMessage[] = [];
  readonly socket: TLSSocket;
  readonly #options: LinkClientOptions;
  readonly #listeners = new Set<(message: MasterMessage) => void>();
  #rest = '';
  #error: Error | null = null;

  private constructor(socket: TLSSocket, options: LinkClientOptions) {
    this.socket = socket;
    this.#options = options;
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => this.#take(text));
    socket.on('error', (error: Error) => (this.#error = error));
  }

  /**
   * Connects, verifies the server's certificate, and sends the greeting.
   *
   * @throws Error if no server answers, or if the certificate differs from that in the hand-over file
   */
  static async connect(options: LinkClientOptions): Promise<LinkClient> {
    const { host, port, fingerprint, from } = options;
    const plain = connectPlainly({ host, port, ...(from === undefined ? {} : { localAddress: from }) });
    const socket = connect({ socket: plain, rejectUnauthorized: false, minVersion: 'TLSv1.2' });
    // Pass an error of the TCP connection on to the TLS socket, which closes and reports the error.
    plain.on('error', (error) => socket.destroy(error));
    const client = new LinkClient(socket, options);
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve);
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('closed during the handshake')));
    });
    const seen = socket.getPeerCertificate().fingerprint256.replaceAll(':', '').toLowerCase();
    if (seen !== fingerprint) {
      socket.destroy();
      throw new Error(`the certificate has the fingerprint ${seen}, not ${fingerprint}`);
    }
    if (options.greets ?? true) client.greet();
    return client;
  }

  /** Connects and waits until the master accepts the connection. */
  static async link(options: LinkClientOptions): Promise<LinkClient> {
    const client = await LinkClient.connect(options);
    await client.next('welcome');
    return client;
  }

  get isClosed(): boolean {
    return this.socket.destroyed || this.socket.readableEnded;
  }

  greet(): void {
    const { service, token, platform = 'velocity', version = LINK_VERSION, allowance = 0 } = this.#options;
    const about = { platform, software: 'Test client 1', plugin: '0.0.0' };
    this.send({ type: 'hello', version, service, token, allowance, ...about });
  }

  send(message: PluginMessage): void {
    this.write(`${JSON.stringify(message)}\n`);
  }

  /** Sends arbitrary text, as an attacker can. */
  write(text: string): void {
    if (!this.socket.destroyed) this.socket.write(text);
  }

  on(listener: (message: MasterMessage) => void): void {
    this.#listeners.add(listener);
  }

  /** Returns all received messages of one kind. */
  all<K extends Kind>(kind: K): Of<K>[] {
    return this.messages.filter((message): message is Of<K> => message.type === kind);
  }

  /** Returns the first matching message of a kind. Waits for the message if none has arrived yet. */
  next<K extends Kind>(kind: K, fits: (message: Of<K>) => boolean = () => true): Promise<Of<K>> {
    return waitFor(
      () => {
        if (this.#error !== null) throw this.#error;
        return this.all(kind).find(fits);
      },
      { what: `'${kind}' from the master` },
    );
  }

  /** Waits until the newest message of a kind matches, and returns this message. */
  latest<K extends Kind>(kind: K, fits: (message: Of<K>) => boolean): Promise<Of<K>> {
    return waitFor(
      () => {
        const last = this.all(kind).at(-1);
        return last !== undefined && fits(last) ? last : null;
      },
      { what: `a last '${kind}' that fits` },
    );
  }

  async closed(): Promise<void> {
    await waitFor(() => this.socket.destroyed, { what: 'the connection to be closed' });
  }

  close(): void {
    this.socket.destroy();
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = masterMessageSchema.parse(JSON.parse(line));
      this.messages.push(message);
      if (message.type === 'ping' && (this.#options.answersPings ?? true)) this.send({ type: 'pong' });
      for (const listener of this.#listeners) listener(message);
    }
  }
}
