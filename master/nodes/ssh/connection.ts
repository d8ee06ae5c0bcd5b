import { Readable } from 'node:stream';
import { monotonicMs } from '#shared/node/clock.ts';
import type { ClientChannel } from 'ssh2';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { quote, untilInputEnds } from '#shared/text/shell.ts';
import type { NodeCommandOptions, RunningCommand, ShellResult, InteractiveCommand } from '../shell.ts';
import type { Login } from './connect.ts';
import { collect, endOf, waitForExit, feed, keepErrors, rejectOnAbort, startExec } from './execution.ts';
import { Slots } from '#shared/node/slots.ts';

const RUN_TIMEOUT_MS = 60_000;
const MAX_BYTES = 16 * 1_048_576;

/**
 * Delay between a command's timeout on the master and the TERM signal with which the node itself terminates the
 * command (s). {@link KILL_AFTER_S} is the delay between TERM and KILL.
 */
const TERM_AFTER_S = 2;
const KILL_AFTER_S = 5;

/**
 * Time without any data from the node, despite keep-alive requests, after which the node counts as unreachable
 * (ms).
 */
const SILENT_MS = 10_000;
const WATCH_MS = 1_000;

/** Time after which a connection that does not close is destroyed (ms). */
const END_MS = 500;

/**
 * Maximum number of parallel commands. A node accepts 128 sessions (bootstrap/sshd-config.ts): some of them follow
 * logs. Besides, sshd counts the session of a command for a moment longer than the command runs, and the next command
 * may already start in this moment.
 */
const RUNS = 48;

/** Why a connection closed, and when data was last received from the node (`monotonicMs()`). */
export interface Broken {
  readonly why: string;
  readonly lastDataAt: number;
}

/** SSH connection to a node that runs many commands in parallel. */
export class NodeConnection {
  readonly node: string;
  /** Fingerprint of the host key that the node presented. */
  readonly hostKey: string;
  /** Resolves when the connection has closed, for any reason. */
  readonly broken: Promise<Broken>;
  readonly #login: Login;
  readonly #slots = new Slots(RUNS);
  #why: string | null = null;
  #lastDataAt = monotonicMs();
  #bytes = 0;

  constructor(node: string, login: Login) {
    this.node = node;
    this.hostKey = login.hostKey;
    this.#login = login;
    const watch = setInterval(() => this.#watch(), WATCH_MS);
    this.broken = new Promise((resolve) => {
      login.client.once('close', () => {
        clearInterval(watch);
        this.#why ??= 'the connection was lost';
        resolve({ why: this.#why, lastDataAt: this.#lastDataAt });
      });
    });
  }

  /**
   * Closes the connection and all its commands. Does nothing if it is closed.
   *
   * @param why reason in the errors of pending calls
   */
  end(why: string): void {
    this.#why ??= why;
    const { client, socket } = this.#login;
    // A closed socket emits no further 'close' event, so the timer below would delay the exit of the master.
    if (socket.closed) return;
    client.end();
    const timer = setTimeout(() => socket.destroy(), END_MS);
    socket.once('close', () => clearTimeout(timer));
  }

  /**
   * Runs a command and returns its result; see `NodeShell.run`. At most 48 commands run at the same time; further
   * ones wait. Waiting and running may each take `timeoutMs` (60 s by default).
   *
   * @throws OverworldError NODE_UNREACHABLE, also after `timeoutMs`; NODE_TOOL_FAILED if the output exceeds
   *   `maxBytes`
   */
  async run(command: string, options: NodeCommandOptions = {}): Promise<ShellResult> {
    const { timeoutMs = RUN_TIMEOUT_MS, stdin } = options;
    const input = stdin instanceof Readable ? stdin : null;
    // The stream may fail before it is read. The command reports the error once it has started.
    input?.on('error', () => undefined);
    try {
      const release = await this.#inTime(timeoutMs, (expired) => this.#slots.acquire(expired));
      try {
        const line = bounded(command, timeoutMs);
        return await this.#inTime(timeoutMs, (expired) => this.#execute(line, options, expired));
      } finally {
        release();
      }
    } finally {
      input?.destroy();
    }
  }

  /** Runs work with a time limit. Waiting for a slot and running the command each have their own limit. */
  async #inTime<T>(timeoutMs: number, work: (expired: AbortSignal) => Promise<T>): Promise<T> {
    const expiry = new AbortController();
    const timer = setTimeout(() => {
      expiry.abort(this.#unreachable(`a command did not finish within ${timeoutMs / 1000} s`));
    }, timeoutMs);
    try {
      return await work(expiry.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Starts a command that runs until it is closed; see `NodeShell.follow`. @throws OverworldError NODE_UNREACHABLE
   */
  follow(command: string): Promise<RunningCommand> {
    return this.speak(untilInputEnds(command));
  }

  /** Starts a command with an open input; see `NodeShell.speak`. @throws OverworldError NODE_UNREACHABLE */
  speak(command: string): Promise<InteractiveCommand> {
    return this.#start(command, (channel): InteractiveCommand => {
      const stderr = keepErrors(channel);
      let giveUp = (): void => undefined;
      // After close(), the remaining output may never be read.
      const closed = new Promise<null>((resolve) => (giveUp = () => resolve(null)));
      const finished = endOf(channel).then((end): ShellResult | null =>
        end.finished
          ? { code: end.code, signal: end.signal, stdout: Buffer.alloc(0), stderr: stderr() }
          : null,
      );
      return {
        stdin: channel,
        stdout: channel,
        exited: Promise.race([waitForExit(channel), closed, this.broken]).then(() => undefined),
        ended: Promise.race([closed, finished, this.broken.then(() => null)]),
        close: () => {
          giveUp();
          channel.close();
        },
      };
    });
  }

  async #execute(command: string, options: NodeCommandOptions, expired: AbortSignal): Promise<ShellResult> {
    const { maxBytes = MAX_BYTES, stdin } = options;
    const starting = this.#start(command, (channel) => {
      const close = (): void => {
        channel.close();
        // Discards the remaining output. Unread output would keep the channel open forever.
        channel.resume();
      };
      const stderr = keepErrors(channel);
      const stdout = collect(channel, maxBytes, () => this.#tooMuch(maxBytes));
      const failed = Promise.race([stdout.failed, feed(channel, stdin)]);
      // The caller may already have stopped waiting when the promise rejects.
      failed.catch(() => undefined);
      return { ended: endOf(channel), failed, stdout, stderr, close };
    });
    try {
      const { ended, failed, stdout, stderr } = await Promise.race([starting, rejectOnAbort(expired)]);
      const end = await Promise.race([ended, failed, rejectOnAbort(expired)]);
      if (!end.finished) throw this.#unreachable(this.#why ?? 'a command exited without a status');
      return { code: end.code, signal: end.signal, stdout: stdout.bytes(), stderr: stderr() };
    } finally {
      // A command that starts after the caller has stopped waiting is closed, too.
      starting.then(({ close }) => close()).catch(() => undefined);
    }
  }

  async #start<T>(command: string, attach: (channel: ClientChannel) => T): Promise<T> {
    try {
      return await startExec(this.#login.client, command, attach);
    } catch (error) {
      const why = this.#why ?? (error instanceof Error ? error.message : String(error));
      throw this.#unreachable(why, error);
    }
  }

  /**
   * Closes the connection if no data has arrived for too long. Any received byte counts, because a long upload may
   * delay the answer to a keep-alive request.
   */
  #watch(): void {
    const { socket } = this.#login;
    const now = monotonicMs();
    if (socket.bytesRead !== this.#bytes) {
      this.#bytes = socket.bytesRead;
      this.#lastDataAt = now;
    }
    if (now - this.#lastDataAt < SILENT_MS) return;
    this.#why ??= `no data received for ${SILENT_MS / 1000} s`;
    socket.destroy();
  }

  #unreachable(why: string, cause?: unknown): OverworldError {
    return new OverworldError('NODE_UNREACHABLE', { node: this.node, why }, cause);
  }

  #tooMuch(maxBytes: number): OverworldError {
    const why = `its output exceeds ${maxBytes} bytes`;
    return new OverworldError('NODE_TOOL_FAILED', { node: this.node, what: 'run a command', why });
  }
}

/**
 * Wraps a command so that the node terminates it after the time limit. Closing the channel does not terminate the
 * command, and hanging commands would accumulate.
 */
function bounded(command: string, timeoutMs: number): string {
  const seconds = Math.ceil(timeoutMs / 1000) + TERM_AFTER_S;
  return `exec timeout -k ${KILL_AFTER_S} ${seconds} sh -c ${quote(command)}`;
}
