import { Readable } from 'node:stream';
import { monotonicMs } from '#shared/node/clock.ts';
import type { ClientChannel } from 'ssh2';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import {
  quote,
  type RunOptions,
  type RunningCommand,
  type ShellResult,
  type InteractiveCommand,
} from '../shell.ts';
import type { Login } from './connect.ts';
import { collect, endOf, exitOf, feed, keepErrors, rejectOnAbort, startExec } from './execution.ts';
import { Slots } from './slots.ts';

const RUN_TIMEOUT_MS = 60_000;
const MAX_BYTES = 16 * 1_048_576;

/** Delay after a timeout before the node itself ends the command with TERM (s); KILL follows later. */
const TERM_AFTER_S = 2;
const KILL_AFTER_S = 5;

/** Time without any data from the node, despite keep-alive requests, after which it counts as silent (ms). */
const SILENT_MS = 10_000;
const WATCH_MS = 1_000;

/** Time after which a connection that does not close is destroyed (ms). */
const END_MS = 500;

/**
 * Maximum number of parallel commands. A node accepts 64 sessions (bootstrap/sshd-config.ts), some of which follow
 * logs.
 */
const RUNS = 48;

/** Why a connection ended, and when data was last received from the node (`monotonicMs()`). */
export interface Broken {
  readonly why: string;
  readonly lastHeard: number;
}

/** SSH connection to a node that runs many commands in parallel. */
export class NodeConnection {
  readonly node: string;
  /** Fingerprint of the host key that the node presented. */
  readonly hostKey: string;
  /** Resolves when the connection has ended. */
  readonly broken: Promise<Broken>;
  readonly #login: Login;
  readonly #slots = new Slots(RUNS);
  #why: string | null = null;
  #lastHeard = monotonicMs();
  #bytes = 0;

  constructor(node: string, login: Login) {
    this.node = node;
    this.hostKey = login.hostKey;
    this.#login = login;
    const watch = setInterval(() => this.#watch(), WATCH_MS);
    this.broken = new Promise((resolve) => {
      login.client.once('close', () => {
        clearInterval(watch);
        this.#why ??= 'the connection broke';
        resolve({ why: this.#why, lastHeard: this.#lastHeard });
      });
    });
  }

  /** Closes the connection and all its commands. @param why reason for pending calls */
  end(why: string): void {
    this.#why ??= why;
    const { client, socket } = this.#login;
    client.end();
    const timer = setTimeout(() => socket.destroy(), END_MS);
    socket.once('close', () => clearTimeout(timer));
  }

  /** Implements NodeShell.run. */
  async run(command: string, options: RunOptions = {}): Promise<ShellResult> {
    const { timeoutMs = RUN_TIMEOUT_MS, stdin } = options;
    const input = stdin instanceof Readable ? stdin : null;
    // The stream may fail before it is read; the command reports the error once it has started.
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

  /** Runs work with a time limit. Waiting for a slot and the command itself each have their own. */
  async #inTime<T>(timeoutMs: number, work: (expired: AbortSignal) => Promise<T>): Promise<T> {
    const expiry = new AbortController();
    const timer = setTimeout(() => {
      expiry.abort(this.#unreachable(`a command did not end within ${timeoutMs / 1000} s`));
    }, timeoutMs);
    try {
      return await work(expiry.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Implements NodeShell.follow. */
  follow(command: string): Promise<RunningCommand> {
    return this.speak(watched(command));
  }

  /** Implements NodeShell.speak. */
  speak(command: string): Promise<InteractiveCommand> {
    return this.#start(command, (channel): InteractiveCommand => {
      const stderr = keepErrors(channel);
      let giveUp = (): void => undefined;
      // After close(), the output may never be read to its end.
      const closed = new Promise<null>((resolve) => (giveUp = () => resolve(null)));
      const finished = endOf(channel).then((end): ShellResult | null =>
        end.finished
          ? { code: end.code, signal: end.signal, stdout: Buffer.alloc(0), stderr: stderr() }
          : null,
      );
      return {
        stdin: channel,
        stdout: channel,
        exited: Promise.race([exitOf(channel), closed, this.broken]).then(() => undefined),
        ended: Promise.race([closed, finished, this.broken.then(() => null)]),
        close: () => {
          giveUp();
          channel.close();
        },
      };
    });
  }

  async #execute(command: string, options: RunOptions, expired: AbortSignal): Promise<ShellResult> {
    const { maxBytes = MAX_BYTES, stdin } = options;
    const starting = this.#start(command, (channel) => {
      const close = (): void => {
        channel.close();
        // Without this the remaining output would not be read and the channel would never end.
        channel.resume();
      };
      const stderr = keepErrors(channel);
      const stdout = collect(channel, maxBytes, () => this.#tooMuch(maxBytes));
      const failed = Promise.race([stdout.failed, feed(channel, stdin)]);
      // The caller may already have stopped waiting when it fails.
      failed.catch(() => undefined);
      return { ended: endOf(channel), failed, stdout, stderr, close };
    });
    try {
      const { ended, failed, stdout, stderr } = await Promise.race([starting, rejectOnAbort(expired)]);
      const end = await Promise.race([ended, failed, rejectOnAbort(expired)]);
      if (!end.finished) throw this.#unreachable(this.#why ?? 'a command ended without an exit status');
      return { code: end.code, signal: end.signal, stdout: stdout.bytes(), stderr: stderr() };
    } finally {
      // A command that starts after the caller stopped waiting is closed too.
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

  /** Counts any received byte as a sign of life, because a long upload may delay the keep-alive answer. */
  #watch(): void {
    const { socket } = this.#login;
    const now = monotonicMs();
    if (socket.bytesRead !== this.#bytes) {
      this.#bytes = socket.bytesRead;
      this.#lastHeard = now;
    }
    if (now - this.#lastHeard < SILENT_MS) return;
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
 * Wraps a command so that the node ends it after the time limit. Closing its channel does not, and hanging commands
 * would accumulate.
 */
function bounded(command: string, timeoutMs: number): string {
  const seconds = Math.ceil(timeoutMs / 1000) + TERM_AFTER_S;
  return `exec timeout -k ${KILL_AFTER_S} ${seconds} sh -c ${quote(command)}`;
}

/**
 * Wraps a command so that it and its children are ended as soon as its channel or connection closes. OpenSSH does
 * not forward signals to commands of root, but it closes their input, to which nothing is ever sent.
 */
function watched(command: string): string {
  return [
    'exec 3<&0',
    `setsid sh -c ${quote(command)} < /dev/null 3<&- &`,
    'command=$!',
    '{ read -r line <&3; kill -TERM -- -$command; } > /dev/null 2>&1 &',
    'watch=$!',
    'wait $command',
    'code=$?',
    'kill $watch',
    'exit $code',
  ].join('\n');
}
