import type { BaseLogger } from 'pino';
import type { ServerChannel } from 'ssh2';
import type { KeyRights } from '#shared/model/access/role.ts';
import { BusyPoll } from './busy-poll.ts';
import type { FileArea } from './jail/file-area.ts';
import type { OnFileEvent } from './file-event.ts';
import type { OpenViews } from './views/view.ts';
import { claimOf, NameOrder } from './name-order.ts';
import { MalformedPacket, PacketReader } from './protocol/packet-reader.ts';
import { PacketSplitter } from './protocol/packet-splitter.ts';
import { statusPacket, versionPacket } from './protocol/packets.ts';
import { request, status } from './protocol/protocol.ts';
import { Refusal, toRefusal } from './protocol/refusal.ts';
import { ReplyWriter } from './protocol/reply-writer.ts';
import { requestHandlers } from './requests/table.ts';
import { finish } from './requests/files.ts';
import { SftpSession } from './session.ts';

/**
 * Maximum number of requests that are processed at the same time. OpenSSH's client sends 64 without waiting for
 * answers. Further requests wait in the backlog, and the channel is paused.
 */
const MAX_PENDING = 64;

export interface SftpOptions {
  readonly fileArea: FileArea;
  /** Opens the views of a key; by default, there are none. */
  readonly views?: OpenViews | undefined;
  readonly onFileEvent: OnFileEvent;
  /** Returns whether keys with the role viewer may read the contents of files now. */
  readonly viewersRead: () => boolean;
  readonly log: BaseLogger;
}

/**
 * Serves SFTP version 3 on one channel until it closes. Never throws, whatever the client sends.
 *
 * @returns a function that ends the session, and resolves when its requests have finished and its files are closed
 */
export function serveSftp(
  channel: ServerChannel,
  who: KeyRights & { readonly name: string },
  options: SftpOptions,
): () => Promise<void> {
  const connection = new SftpConnection(channel, new SftpSession(who, options), options.log);
  return () => connection.end();
}

/** A request whose answer is sent in its turn. `reply` is null until the request is answered. */
interface Turn {
  reply: Buffer | null;
}

/** Stands for the missing answer of a request that has aborted the session. */
const NOTHING = Buffer.alloc(0);

class SftpConnection {
  readonly #channel: ServerChannel;
  readonly #session: SftpSession;
  readonly #log: BaseLogger;
  readonly #replies: ReplyWriter;
  readonly #names = new NameOrder();
  readonly #polling = new BusyPoll();
  /**
   * Packets that have arrived and still wait. They come from one chunk of the channel, because the channel is paused
   * while packets wait.
   */
  #backlog: Buffer[] = [];
  /** Requests that have started and whose answers were not sent yet, in the order of their arrival. */
  readonly #turns: Turn[] = [];
  #begun = false;
  /** Whether the client has closed its side of the channel. */
  #ended = false;
  #closed = false;
  #cleaning: Promise<void> | undefined;
  /** Number of requests in progress. */
  #answering = 0;
  readonly #over: Promise<void>;
  /** Resolves {@link #over}. */
  #allAnswered = (): void => undefined;

  constructor(channel: ServerChannel, session: SftpSession, log: BaseLogger) {
    this.#channel = channel;
    this.#session = session;
    this.#log = log;
    this.#replies = new ReplyWriter(channel, (reply) => this.#onSent(reply));
    this.#over = new Promise((resolve) => (this.#allAnswered = resolve));
    const splitter = new PacketSplitter((packet) => this.#backlog.push(packet));
    channel.on('data', (chunk: Buffer) => {
      if (this.#closed) return;
      this.#polling.requested();
      this.#guard(() => splitter.push(chunk));
      this.#work();
    });
    channel.on('drain', () => this.#work());
    channel.on('error', (error: Error) => log.debug({ err: error }, 'an SFTP channel failed'));
    channel.on('end', () => {
      this.#ended = true;
      this.#work();
    });
    channel.on('close', () => void this.#cleanUp());
    // ssh2 emits 'close' only after all earlier data was read. While a client does not read its answers, its channel
    // is paused, so this event would never come. The error stream, however, finishes as soon as the channel closes.
    channel.stderr.on('finish', () => {
      void this.#cleanUp();
      channel.resume();
    });
  }

  /** Ends the session. Resolves when its requests have finished and its files are closed. */
  async end(): Promise<void> {
    await this.#cleanUp();
    await this.#over;
  }

  /** Starts as many waiting requests as allowed, then pauses or resumes the channel. */
  #work(): void {
    while (!this.#closed && this.#mayTake()) {
      const packet = this.#backlog.shift();
      if (packet === undefined) break;
      this.#guard(() => this.#take(packet));
    }
    if (this.#closed) return;
    if (this.#backlog.length > 0) {
      if (!this.#channel.isPaused()) this.#channel.pause();
    } else if (this.#ended) {
      if (this.#turns.length === 0) this.#finish();
    } else if (this.#channel.isPaused()) {
      this.#channel.resume();
    }
  }

  /**
   * Returns whether another request may start. A started request never waits for one that has not started, so each
   * started request can finish.
   */
  #mayTake(): boolean {
    return (
      this.#turns.length < MAX_PENDING && !this.#session.buffers.full && !this.#channel.writableNeedDrain
    );
  }

  #onSent(reply: Buffer): void {
    // The next request may wait for this buffer.
    if (this.#session.buffers.giveBack(reply)) this.#work();
  }

  #take(packet: Buffer): void {
    const fields = new PacketReader(packet);
    const type = fields.u8();
    if (type === request.INIT || !this.#begun) {
      if (type !== request.INIT || this.#begun)
        throw new MalformedPacket('INIT must be the first packet and must not be repeated');
      this.#begun = true;
      fields.u32();
      this.#replies.send(versionPacket());
      this.#replies.flush();
      return;
    }
    const id = fields.u32();
    const turn: Turn = { reply: null };
    this.#turns.push(turn);
    this.#answering += 1;
    void this.#answer(id, type, fields).then((reply) => {
      this.#answering -= 1;
      this.#noteEnd();
      turn.reply = reply ?? NOTHING;
      this.#send();
      this.#work();
    });
  }

  /**
   * Sends answers in the order of the requests, although requests run in parallel. The protocol does not require this
   * order, but clients do: OpenSSH's `scp -s` truncates a file at the first answer that is out of order, and reports
   * success.
   */
  #send(): void {
    let sent = 0;
    for (const { reply } of this.#turns) {
      if (reply === null) break;
      if (reply !== NOTHING) this.#replies.send(reply);
      sent += 1;
    }
    this.#turns.splice(0, sent);
    if (this.#turns.length > 0) {
      this.#replies.flushSoon();
      return;
    }
    // Sends immediately, because no other request is in progress whose answer could be sent in the same packet.
    this.#replies.flush();
    this.#polling.answered();
  }

  /**
   * Handles one request.
   *
   * @returns the answer, or undefined if the session was aborted
   */
  async #answer(id: number, type: number, fields: PacketReader): Promise<Buffer | undefined> {
    try {
      const handler = requestHandlers.get(type);
      if (handler === undefined) {
        throw new Refusal(status.OP_UNSUPPORTED, 'The master does not support this request');
      }
      const claim = claimOf(type, fields.ahead());
      const work = (): Promise<Buffer> => handler(this.#session, id, fields);
      return await (claim === null ? work() : this.#names.run(claim, work));
    } catch (error) {
      if (error instanceof MalformedPacket) {
        this.#abort(error);
        return undefined;
      }
      const refusal = toRefusal(error);
      if (refusal.cause !== undefined)
        this.#log.error({ err: refusal.cause, type }, 'an SFTP request failed');
      return statusPacket(id, refusal.status, refusal.message);
    }
  }

  #guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#abort(error);
    }
  }

  /** Closes the channel after a malformed packet, because the following packets cannot be parsed either. */
  #abort(error: unknown): void {
    if (this.#closed) return;
    this.#log.warn({ err: error }, 'closed an SFTP session: the client violates the protocol');
    this.#channel.close();
    void this.#cleanUp();
  }

  /**
   * Closes the channel after the client has closed its side and has received all answers. Without this, OpenSSH's
   * `sftp` would wait forever.
   */
  #finish(): void {
    this.#replies.flush();
    this.#channel.exit(0);
    this.#channel.end();
    void this.#cleanUp();
  }

  /** Closes all files, if this has not begun yet. Resolves when all are closed. */
  #cleanUp(): Promise<void> {
    this.#cleaning ??= this.#closeAll();
    return this.#cleaning;
  }

  /** Resolves {@link #over} if the session is closed and no request is in progress. */
  #noteEnd(): void {
    if (this.#closed && this.#answering === 0) this.#allAnswered();
  }

  async #closeAll(): Promise<void> {
    this.#closed = true;
    this.#backlog = [];
    this.#noteEnd();
    await Promise.all(
      this.#session.handles.takeAll().map(async (open) => {
        try {
          await finish(this.#session, open);
        } catch (error) {
          this.#log.warn({ err: error }, 'a file was not closed properly');
        }
      }),
    );
  }
}
