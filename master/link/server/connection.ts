import type { TLSSocket } from 'node:tls';
import { MAX_PLUGIN_LINE_BYTES, type MasterMessage, type PluginMessage } from '#shared/link/messages.ts';
import { LineSplitter } from '#shared/node/line-splitter.ts';
import type { MessageLimit } from './message-limit.ts';
import { parseLine } from './parse-line.ts';

/**
 * Maximum size of a greeting, a plugin's first message (bytes). It is small because the sender is not identified
 * yet.
 */
const MAX_GREETING_BYTES = 4_096;

/**
 * Minimum pause after a sender exceeds its message rate (ms). Several messages arrive during the pause. Handling them
 * together is cheaper than handling them one by one.
 */
const BREATH_MS = 20;

/**
 * Maximum number of chunks per line. A plugin writes whole lines, and TLS splits the longest line into ten chunks.
 * Only a sender of tiny chunks reaches this limit.
 */
const MAX_PIECES = 1_024;
const MAX_GREETING_PIECES = 64;

/**
 * Maximum size of the queue of data that waits to be sent to a plugin (bytes). If the plugin does not read and the
 * queue grows larger, the connection is closed, because the queued data is outdated.
 */
const MAX_QUEUE_BYTES = 4_194_304;

/** Size of the send queue below which long lists may be sent (bytes). */
const LOW_QUEUE_BYTES = 262_144;

/** Receives messages and events of a connection. */
export interface ConnectionListener {
  readonly now: () => number;
  onMessage(message: PluginMessage): void;
  /** Called once, when the connection is closed. `why` is for the log, and contains no received data. */
  onEnd(why: string): void;
  /** Called when there is room in the send queue again. */
  onDrain(): void;
}

/**
 * The connection of one plugin. Checks incoming lines, and closes the connection if a line is not a valid message.
 * Limits the rate of lines by reading more slowly, so that no line is lost. Limits the size of the send queue.
 */
export class PluginConnection {
  /** When the last complete line arrived, on the monotonic clock (ms). */
  lastMessageAt: number;
  readonly #socket: TLSSocket;
  readonly #listener: ConnectionListener;
  readonly #lines = new LineSplitter(MAX_GREETING_BYTES);
  /**
   * Message limit of the service. Null until the plugin has sent its greeting. Any other message before the greeting
   * closes the connection.
   */
  #messageLimit: MessageLimit | null = null;
  /** Number of chunks in which the current line has arrived so far. */
  #pieces = 0;
  #held: Buffer | null = null;
  #later: NodeJS.Timeout | null = null;
  #why: string | null = null;

  constructor(socket: TLSSocket, listener: ConnectionListener) {
    this.#socket = socket;
    this.#listener = listener;
    this.lastMessageAt = listener.now();
    socket.setNoDelay(true);
    socket.on('data', (bytes: Buffer) => {
      // Data that arrives after the connection was closed is ignored.
      if (this.#why !== null) return;
      this.#lines.add(bytes);
      this.#pieces += 1;
      this.#read();
    });
    socket.on('drain', () => {
      if (this.#why === null) listener.onDrain();
    });
    socket.on('error', (error: Error) => (this.#why ??= `connection failed: ${error.message}`));
    // If the plugin closes its side of the connection, the connection is closed completely.
    socket.on('end', () => this.cut('it closed the connection'));
    socket.on('close', () => {
      if (this.#later !== null) clearTimeout(this.#later);
      listener.onEnd(this.#why ?? 'it closed the connection');
    });
  }

  /**
   * Accepts longer lines from now on, because the sender has proven its identity.
   *
   * @param messageLimit message limit of the sender's service
   */
  trust(messageLimit: MessageLimit): void {
    this.#lines.maxBytes = MAX_PLUGIN_LINE_BYTES;
    this.#messageLimit = messageLimit;
  }

  /** Whether long lists may be sent now. If not, wait for {@link ConnectionListener.onDrain}. */
  get hasRoom(): boolean {
    return this.#socket.writableLength < LOW_QUEUE_BYTES;
  }

  /** Sends a message; see {@link sendLine}. */
  send(message: MasterMessage): void {
    this.sendLine(Buffer.from(`${JSON.stringify(message)}\n`));
  }

  /**
   * Sends a line. Closes the connection if more than 4 MiB are waiting to be sent. Does nothing after the connection
   * was closed.
   *
   * @param line including its newline; shared by several connections, so it must not be modified
   */
  sendLine(line: Buffer): void {
    if (this.#why !== null) return;
    this.#socket.write(line);
    if (this.#socket.writableLength > MAX_QUEUE_BYTES) this.cut('it does not read its messages');
  }

  /**
   * Sends a last message, and closes the connection after 1 s at the latest. Data that arrives in the meantime is
   * ignored.
   */
  dismiss(last: MasterMessage, why: string): void {
    if (this.#why !== null) return;
    this.#why = why;
    this.#socket.end(`${JSON.stringify(last)}\n`);
    this.#later = setTimeout(() => this.#socket.destroy(), 1_000);
  }

  /**
   * Closes the connection. Data that is waiting to be sent is lost. @param why reason for
   * {@link ConnectionListener.onEnd}
   */
  cut(why: string): void {
    this.#why ??= why;
    this.#socket.destroy();
  }

  #read(): void {
    while (this.#why === null) {
      const line = this.#held ?? this.#lines.next();
      const mostPieces = this.#messageLimit === null ? MAX_GREETING_PIECES : MAX_PIECES;
      if (line === 'too-long' || this.#pieces > mostPieces) {
        this.cut(line === 'too-long' ? 'a line is too long' : 'a line arrives in too many pieces');
        return;
      }
      if (line === null) return;
      const waitMs = this.#messageLimit?.recordLine(line, this.#pieces, this.#listener.now()) ?? 0;
      if (waitMs > 0) {
        this.#readLater(line, Math.max(BREATH_MS, waitMs));
        return;
      }
      this.#held = null;
      // This chunk also contains the beginning of the next line.
      this.#pieces = 1;
      this.lastMessageAt = this.#listener.now();
      const message = parseLine(line);
      if (message === null) this.cut('it sent a message that is not part of the protocol');
      else if (message !== 'newer') this.#listener.onMessage(message);
      else if (this.#messageLimit === null) this.cut('it sent no greeting');
    }
  }

  /**
   * Pauses reading before a line is handled. The buffers of the system, and then the buffers of the plugin, fill up.
   * The plugin then has to wait, and the master stores no more data.
   */
  #readLater(line: Buffer, waitMs: number): void {
    this.#held = line;
    this.#socket.pause();
    // A plugin must not count as silent while the master itself has paused reading.
    this.lastMessageAt = this.#listener.now() + waitMs;
    if (this.#later !== null) clearTimeout(this.#later);
    this.#later = setTimeout(() => {
      this.#read();
      if (this.#held === null) this.#socket.resume();
    }, waitMs);
  }
}
