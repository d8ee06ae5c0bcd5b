import { z } from 'zod';
import type { ShellResult, SpokenCommand } from '#master/nodes/shell.ts';

/** An answer without an end in sight, bytes: as much as one call may say elsewhere. */
const MAX_PENDING_BYTES = 16 * 1_048_576;

const MS_PER_S = 1_000;

/** The node gives a call up this long after us, s: whoever waits hears it from us first. */
const GIVEN_UP_AFTER_S = 2;

/** What one that has ended has said is here by then, ms. */
const LAST_WORDS_MS = 1_000;

const replySchema = z.looseObject({ call: z.int(), failed: z.string().optional() });

/** What is asked of a session. */
export interface SessionCall {
  readonly command: string;
  readonly request: object;
  readonly timeoutMs: number;
}

/** What became of a call. */
export type SessionReply =
  /** One JSON document, as the tool prints it. */
  | { readonly kind: 'reply'; readonly reply: unknown }
  /** It was not able to do it; its last words. */
  | { readonly kind: 'failed'; readonly why: string }
  /** The session ended before; null: its connection broke, or it was closed. Nobody knows what became of the call. */
  | { readonly kind: 'ended'; readonly result: ShellResult | null }
  /** Nor here. */
  | { readonly kind: 'late' };

/** One process of the tool on a node that answers many calls (tool/serve.py), over a channel of its own. */
export class ToolSession {
  readonly #command: SpokenCommand;
  readonly #waiting = new Map<number, (reply: SessionReply) => void>();
  /** Given up here; each may still be answered, once. */
  readonly #late = new Set<number>();
  #calls = 0;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #isOpen = true;

  constructor(command: SpokenCommand) {
    this.#command = command;
    command.stdout.on('data', (chunk: Buffer) => this.#hear(chunk));
    // Writing to what has ended; its end is told anyway.
    command.stdin.on('error', () => undefined);
    void command.exited.then(() => this.#fade());
    void command.ended.then((result) => this.#end(result));
  }

  /** False once no more calls go over it. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Calls the tool. Never rejects. */
  async call({ command, request, timeoutMs }: SessionCall): Promise<SessionReply> {
    if (!this.#isOpen) return { kind: 'ended', result: null };
    const number = ++this.#calls;
    let timer: NodeJS.Timeout | undefined;
    const replied = new Promise<SessionReply>((resolve) => {
      this.#waiting.set(number, resolve);
      timer = setTimeout(() => {
        resolve({ kind: 'late' });
        this.#late.add(number);
        // It may be the session that hangs: the next call gets another one.
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

  /** Ends it. Calls that are under way go on at the node, and nobody hears of them. */
  close(): void {
    this.#end(null);
  }

  #retire(): void {
    this.#isOpen = false;
  }

  #closeIfDone(): void {
    if (!this.#isOpen && this.#waiting.size === 0) this.#command.close();
  }

  /** It has ended by itself: its last words come, or calls that are under way keep its channel open and are given up. */
  #fade(): void {
    this.#retire();
    setTimeout(() => this.#end(null), LAST_WORDS_MS).unref();
  }

  #end(result: ShellResult | null): void {
    this.#isOpen = false;
    this.#command.close();
    for (const resolve of this.#waiting.values()) resolve({ kind: 'ended', result });
  }

  #hear(chunk: Buffer): void {
    const end = chunk.lastIndexOf(0x0a) + 1;
    if (end === 0) {
      this.#hold(chunk);
      return;
    }
    const text = Buffer.concat([...this.#pending, chunk.subarray(0, end)]).toString('utf8');
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#hold(chunk.subarray(end));
    for (const line of text.split('\n')) if (line !== '') this.#take(line);
  }

  #hold(bytes: Buffer): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes > MAX_PENDING_BYTES) this.close();
  }

  #take(line: string): void {
    const parsed = replySchema.safeParse(parseJson(line));
    if (!parsed.success) {
      // What it says cannot be told apart any more.
      this.close();
      return;
    }
    const { call, failed, ...reply } = parsed.data;
    const resolve = this.#waiting.get(call);
    // Nobody asked, or it has been answered: that is no tool of ours, and could go on for ever.
    if (resolve === undefined && !this.#late.delete(call)) this.close();
    this.#waiting.delete(call);
    resolve?.(failed === undefined ? { kind: 'reply', reply } : { kind: 'failed', why: failed });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
