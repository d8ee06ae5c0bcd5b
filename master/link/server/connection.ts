import type { TLSSocket } from 'node:tls';
import {
  MAX_PLUGIN_LINE_BYTES,
  pluginMessageSchema,
  type MasterMessage,
  type PluginMessage,
} from '#shared/link/messages.ts';
import { LineSplitter } from './line-splitter.ts';
import type { MessageLimit } from './message-limit.ts';

/** Longest greeting: nobody has said yet who it is, so it gets little room, bytes. */
const MAX_GREETING_BYTES = 4_096;

/** Shortest wait of one who talks too fast, ms: some messages at a time cost less than each by itself. */
const BREATH_MS = 20;

/** Most pieces of one line: a plugin writes lines whole, of which TLS cuts the longest into ten. */
const MAX_PIECES = 1_024;
const MAX_GREETING_PIECES = 64;

/** Most that waits for a plugin which does not read, bytes; then it is cut, as what it would read is old. */
const MAX_QUEUE_BYTES = 4_194_304;

/** What waits below this does not hold up more, bytes. */
const LOW_QUEUE_BYTES = 262_144;

/** What is done with what a plugin says. */
export interface ConnectionListener {
  readonly now: () => number;
  onMessage(message: PluginMessage): void;
  /** Once, however it ended. `why`: for the log, without anything that was said. */
  onEnd(why: string): void;
  /** Room for more in the queue. */
  onDrain(): void;
}

/**
 * One plugin's connection: lines in, checked and not too many a second; lines out, not too many waiting. What does not fit
 * the words of the link ends it. Who talks too fast is read more slowly, and nothing of it is lost.
 */
export class Connection {
  /** When it last said something whole, ms. */
  heardAt: number;
  readonly #socket: TLSSocket;
  readonly #ear: ConnectionListener;
  readonly #lines = new LineSplitter(MAX_GREETING_BYTES);
  /** Null until it has greeted: who says anything else before is cut. */
  #messageLimit: MessageLimit | null = null;
  /** In which the bytes came since the last line began. */
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
      // Nothing is kept of what comes after the last word.
      if (this.#why !== null) return;
      this.#lines.add(bytes);
      this.#pieces += 1;
      this.#read();
    });
    socket.on('drain', () => {
      if (this.#why === null) ear.onDrain();
    });
    socket.on('error', (error: Error) => (this.#why ??= `connection failed: ${error.message}`));
    // A half-open link is of no use: the other side has no more to say.
    socket.on('end', () => this.cut('it closed the connection'));
    socket.on('close', () => {
      if (this.#later !== null) clearTimeout(this.#later);
      ear.onEnd(this.#why ?? 'it closed the connection');
    });
  }

  /** It has proven who it is: longer lines are taken from now on. @param messageLimit of its service */
  trust(messageLimit: MessageLimit): void {
    this.#lines.maxBytes = MAX_PLUGIN_LINE_BYTES;
    this.#messageLimit = messageLimit;
  }

  /** False: wait for {@link ConnectionListener.onDrain} before sending long lists. */
  get hasRoom(): boolean {
    return this.#socket.writableLength < LOW_QUEUE_BYTES;
  }

  send(message: MasterMessage): void {
    this.sendLine(Buffer.from(`${JSON.stringify(message)}\n`));
  }

  /** @param line with its end; shared by several connections, so it is never changed */
  sendLine(line: Buffer): void {
    if (this.#why !== null) return;
    this.#socket.write(line);
    if (this.#socket.writableLength > MAX_QUEUE_BYTES) this.cut('it does not read what it is sent');
  }

  /** Says a last word and closes; what comes meanwhile is not listened to. */
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
      // What follows has come with the last of them.
      this.#pieces = 1;
      this.heardAt = this.#ear.now();
      const message = parse(line);
      if (message === null) this.cut('it said something that is not of the link');
      else this.#ear.onMessage(message);
    }
  }

  /** The system's own buffers fill up, and then the plugin's: it waits, and we keep no more than what was read. */
  #readLater(line: Buffer, waitMs: number): void {
    this.#held = line;
    this.#socket.pause();
    // What it says while we do not listen is no silence.
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
