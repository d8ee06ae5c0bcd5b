import type { TLSSocket } from 'node:tls';
import {
  MAX_PLUGIN_LINE_BYTES,
  pluginMessageSchema,
  type MasterMessage,
  type PluginMessage,
} from '#shared/link/messages.ts';
import { LineSplitter } from './line-splitter.ts';
import type { MessageLimit } from './message-limit.ts';

/** Maximum size of a greeting (bytes). It is small, as the sender is still unknown. */
const MAX_GREETING_BYTES = 4_096;

/**
 * Shortest pause after a sender exceeds its rate (ms). Handling several messages at once costs less than one at a
 * time.
 */
const BREATH_MS = 20;

/** Maximum number of chunks per line. A plugin writes whole lines, and TLS splits the longest one into ten chunks. */
const MAX_PIECES = 1_024;
const MAX_GREETING_PIECES = 64;

/**
 * Maximum size of the send queue of a plugin that does not read (bytes). Beyond it the connection is closed, as the
 * queued data is out of date.
 */
const MAX_QUEUE_BYTES = 4_194_304;

/** Size of the send queue below which more may be sent (bytes). */
const LOW_QUEUE_BYTES = 262_144;

/** Receives what happens on a connection. */
export interface ConnectionListener {
  readonly now: () => number;
  onMessage(message: PluginMessage): void;
  /** Called once when the connection is closed. `why` is for the log and contains nothing that was received. */
  onEnd(why: string): void;
  /** Called when the send queue has room again. */
  onDrain(): void;
}

/**
 * The connection of one plugin. It validates incoming lines, limits their rate by reading more slowly (nothing is
 * lost), and limits the send queue. A line that is not a valid message closes the connection.
 */
export class Connection {
  /** When its last complete line arrived (ms). */
  heardAt: number;
  readonly #socket: TLSSocket;
  readonly #ear: ConnectionListener;
  readonly #lines = new LineSplitter(MAX_GREETING_BYTES);
  /** Null until it has greeted. Any other message before that closes the connection. */
  #messageLimit: MessageLimit | null = null;
  /** Number of chunks since the current line began. */
  #pieces = 0;
  #held: Buffer | null = null;
  #later: NodeJS.Timeout | null = null;
  #why: string | null = null;

  constructor(socket: TLSSocket, ear: ConnectionListener) {
    this.#socket = socket;
    this.#ear = ear;
    this.heardAt = ear.now();
    socket.setNoDelay(true);
    socket.on('data', (bytes: Buffer) => {
      // Ignores data after the connection was closed.
      if (this.#why !== null) return;
      this.#lines.add(bytes);
      this.#pieces += 1;
      this.#read();
    });
    socket.on('drain', () => {
      if (this.#why === null) ear.onDrain();
    });
    socket.on('error', (error: Error) => (this.#why ??= `connection failed: ${error.message}`));
    // A half-open connection is closed, as the other side can no longer send.
    socket.on('end', () => this.cut('it closed the connection'));
    socket.on('close', () => {
      if (this.#later !== null) clearTimeout(this.#later);
      ear.onEnd(this.#why ?? 'it closed the connection');
    });
  }

  /**
   * Accepts longer lines from now on, because the sender has proven its identity.
   *
   * @param messageLimit limit of its service
   */
  trust(messageLimit: MessageLimit): void {
    this.#lines.maxBytes = MAX_PLUGIN_LINE_BYTES;
    this.#messageLimit = messageLimit;
  }

  /** Whether long lists may be sent now. If not, wait for {@link ConnectionListener.onDrain}. */
  get hasRoom(): boolean {
    return this.#socket.writableLength < LOW_QUEUE_BYTES;
  }

  send(message: MasterMessage): void {
    this.sendLine(Buffer.from(`${JSON.stringify(message)}\n`));
  }

  /**
   * Sends a line.
   *
   * @param line including its newline; shared by several connections, so it must not be modified
   */
  sendLine(line: Buffer): void {
    if (this.#why !== null) return;
    this.#socket.write(line);
    if (this.#socket.writableLength > MAX_QUEUE_BYTES) this.cut('it does not read what it is sent');
  }

  /** Sends a last message and closes the connection. Data that arrives meanwhile is ignored. */
  dismiss(last: MasterMessage, why: string): void {
    if (this.#why !== null) return;
    this.#why = why;
    this.#socket.end(`${JSON.stringify(last)}\n`);
    this.#later = setTimeout(() => this.#socket.destroy(), 1_000);
  }

  cut(why: string): void {
    this.#why ??= why;
    this.#socket.destroy();
  }

  #read(): void {
    while (this.#why === null) {
      const line = this.#held ?? this.#lines.next();
      const mostPieces = this.#messageLimit === null ? MAX_GREETING_PIECES : MAX_PIECES;
      if (line === 'too-long' || this.#pieces > mostPieces) {
        this.cut(line === 'too-long' ? 'a line is too long' : 'a line comes in too many pieces');
        return;
      }
      if (line === null) return;
      const waitMs = this.#messageLimit?.say(line, this.#pieces, this.#ear.now()) ?? 0;
      if (waitMs > 0) {
        this.#readLater(line, Math.max(BREATH_MS, waitMs));
        return;
      }
      this.#held = null;
      // The rest arrived in the same chunk.
      this.#pieces = 1;
      this.heardAt = this.#ear.now();
      const message = parse(line);
      if (message === null) this.cut('it said something that is not of the link');
      else this.#ear.onMessage(message);
    }
  }

  /**
   * Pauses reading. The buffers of the system and then of the plugin fill up, so the plugin waits, and nothing more
   * is kept here.
   */
  #readLater(line: Buffer, waitMs: number): void {
    this.#held = line;
    this.#socket.pause();
    // The plugin must not count as silent while reading is paused.
    this.heardAt = this.#ear.now() + waitMs;
    if (this.#later !== null) clearTimeout(this.#later);
    this.#later = setTimeout(() => {
      this.#read();
      if (this.#held === null) this.#socket.resume();
    }, waitMs);
  }
}

function parse(line: Buffer): PluginMessage | null {
  let json: unknown;
  try {
    json = JSON.parse(line.toString('utf8'));
  } catch {
    return null;
  }
  return pluginMessageSchema.safeParse(json).data ?? null;
}
