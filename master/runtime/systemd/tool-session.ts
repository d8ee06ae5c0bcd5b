import { z } from 'zod';
import type { ShellResult, InteractiveCommand } from '#master/nodes/shell.ts';

/**
 * Size limit of an answer (MiB). Calls without a session have the same limit. The tool never sends an answer above
 * this limit (tool/serve.py).
 */
const MAX_ANSWER_MIB = 16;
const MAX_PENDING_BYTES = MAX_ANSWER_MIB * 1_048_576;

/**
 * Number of bytes after which an answer closes the session. Such an answer was dropped earlier, because it exceeded
 * the size limit.
 */
const MAX_DROPPED_BYTES = 16 * MAX_PENDING_BYTES;

/** Matches the beginning of an answer, which names its call. */
const ANSWER_BEGIN = /^\{"call": ?(\d{1,15}),/;
const ANSWER_BEGIN_BYTES = 32;

const MS_PER_S = 1_000;

/**
 * Time between a call's timeout on the master and the node's own timeout for it (s). Because of this delay, the
 * master's timeout is reported first.
 */
const GIVEN_UP_AFTER_S = 2;

/** Time to wait for the last output of a tool that has exited (ms). */
const LAST_WORDS_MS = 1_000;

const replySchema = z.looseObject({ call: z.int(), failed: z.string().optional() });

/** Call made through a session. */
export interface SessionCall {
  readonly command: string;
  readonly request: object;
  readonly timeoutMs: number;
}

/** Outcome of a call. */
export type SessionReply =
  /** The tool answered with a JSON document. */
  | { readonly kind: 'reply'; readonly reply: unknown }
  /** The call failed on the node; `why` is its error, or the signal that terminated it. */
  | { readonly kind: 'failed'; readonly why: string }
  /**
   * The session ended before the answer, so the outcome of the call is unknown. `result` is null if the connection
   * broke or the session was closed.
   */
  | { readonly kind: 'ended'; readonly result: ShellResult | null }
  /** The call timed out; its outcome is unknown. */
  | { readonly kind: 'late' };

/** A process of the tool on a node that answers many calls (tool/serve.py). It has a channel of its own. */
export class ToolSession {
  readonly #command: InteractiveCommand;
  readonly #waiting = new Map<number, (reply: SessionReply) => void>();
  /** Calls that timed out. Each may still be answered once. */
  readonly #late = new Set<number>();
  #calls = 0;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Whether the incomplete answer is too long, so that its bytes are only counted. */
  #isDropping = false;
  #isOpen = true;
  /** How the session ended; null until then. */
  #over: SessionReply | null = null;

  constructor(command: InteractiveCommand) {
    this.#command = command;
    command.stdout.on('data', (chunk: Buffer) => this.#onOutput(chunk));
    // Ignores errors of writing to a process that has exited; the exit is reported separately.
    command.stdin.on('error', () => undefined);
    void command.exited.then(() => this.#fade());
    void command.ended.then((result) => this.#end(result));
  }

  /** Whether the session accepts further calls. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Calls the tool. Never rejects: returns `late` after `timeoutMs`, `ended` if the session ends before the answer,
   * and `failed` if the tool reports a failure. After a late call, the session accepts no further calls.
   */
  async call({ command, request, timeoutMs }: SessionCall): Promise<SessionReply> {
    // A tool that is missing on the node exits before the first call.
    if (this.#over !== null) return this.#over;
    const number = ++this.#calls;
    let timer: NodeJS.Timeout | undefined;
    const replied = new Promise<SessionReply>((resolve) => {
      this.#waiting.set(number, resolve);
      timer = setTimeout(() => {
        resolve({ kind: 'late' });
        this.#late.add(number);
        // The session itself may hang, so the next call gets a new one.
        this.#retire();
      }, timeoutMs);
    });
    const seconds = Math.ceil(timeoutMs / MS_PER_S) + GIVEN_UP_AFTER_S;
    this.#command.stdin.write(`${JSON.stringify({ call: number, command, seconds, request })}\n`);
    try {
      return await replied;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(number);
      this.#closeIfDone();
    }
  }

  /** Closes the session. Calls in progress continue on the node, but their results are lost. */
  close(): void {
    this.#end(null);
  }

  #retire(): void {
    this.#isOpen = false;
  }

  #closeIfDone(): void {
    if (!this.#isOpen && this.#waiting.size === 0) this.#command.close();
  }

  /**
   * Handles the exit of the tool: waits for its last output, then ends the session. Calls without an answer are
   * reported as `ended`.
   */
  #fade(): void {
    this.#retire();
    // After a pause of this process, timers run before input is read. The input may contain the last output.
    setTimeout(() => setImmediate(() => this.#end(null)), LAST_WORDS_MS).unref();
  }

  #end(result: ShellResult | null): void {
    this.#isOpen = false;
    this.#over ??= { kind: 'ended', result };
    this.#command.close();
    for (const resolve of this.#waiting.values()) resolve(this.#over);
  }

  #onOutput(chunk: Buffer): void {
    const end = chunk.lastIndexOf(0x0a) + 1;
    if (end === 0) {
      this.#hold(chunk);
      return;
    }
    const first = this.#isDropping ? chunk.indexOf(0x0a) + 1 : 0;
    const text = Buffer.concat([...this.#pending, chunk.subarray(first, end)]).toString('utf8');
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#isDropping = false;
    this.#hold(chunk.subarray(end));
    for (const line of text.split('\n')) if (line !== '') this.#take(line);
  }

  #hold(bytes: Buffer): void {
    this.#pendingBytes += bytes.length;
    if (this.#isDropping) {
      if (this.#pendingBytes > MAX_DROPPED_BYTES) this.close();
      return;
    }
    this.#pending.push(bytes);
    if (this.#pendingBytes > MAX_PENDING_BYTES) this.#drop();
  }

  /** Drops an answer that is too long, and fails its call. Answers to other calls may follow it. */
  #drop(): void {
    const begin = Buffer.concat(this.#pending, ANSWER_BEGIN_BYTES).toString('latin1');
    this.#pending = [];
    this.#isDropping = true;
    const why = `its answer is longer than ${MAX_ANSWER_MIB} MiB`;
    const call = ANSWER_BEGIN.exec(begin)?.[1];
    // Without the number of its call, the answer does not come from Overworld's tool.
    if (call === undefined) this.close();
    else this.#settle(Number(call), { kind: 'failed', why });
  }

  #take(line: string): void {
    const parsed = replySchema.safeParse(parseJson(line));
    if (!parsed.success) {
      // After invalid JSON, answers cannot be assigned to calls any more.
      this.close();
      return;
    }
    const { call, failed, ...reply } = parsed.data;
    this.#settle(call, failed === undefined ? { kind: 'reply', reply } : { kind: 'failed', why: failed });
  }

  #settle(call: number, reply: SessionReply): void {
    const resolve = this.#waiting.get(call);
    // An answer that was not requested, or that arrives twice, does not come from Overworld's tool and might be
    // endless.
    if (resolve === undefined && !this.#late.delete(call)) this.close();
    this.#waiting.delete(call);
    resolve?.(reply);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
