import type { Readable, Writable } from 'node:stream';
import type { Client, ClientChannel } from 'ssh2';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { untilInputEnds } from '#shared/text/shell.ts';
import { CommandOutput } from './command-output.ts';

/**
 * Time limit of two steps of a cancellation (ms). First, the command has this time to exit before its channel is
 * closed. Then the server has this time to confirm the closing before the connection is closed.
 */
const END_MS = 5_000;

/**
 * Command line that reads a script in base64 from the first line of its standard input, and runs the script. This
 * command line is the same for all scripts. So it contains no values, no login shell can misinterpret it, and
 * standard input stays open for the script. `read` of the shell takes no byte beyond the line.
 */
const RUN_SCRIPT = `sh -c 'IFS= read -r s && exec sh -c "$(printf %s "$s" | base64 -d)"'`;

/** First lines of each script: messages in English, and a PATH with all folders of system programs. */
const PRELUDE =
  'export LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\numask 022\n';

/** How a command becomes root. The password is written only to the standard input of sudo. */
export type Sudo =
  | { readonly kind: 'root' }
  | { readonly kind: 'free' }
  | { readonly kind: 'password'; readonly password: string };

/** Exit status and output of a command. */
export interface Ran {
  /** Exit status; null if a signal ended the command. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ServerCommandOptions {
  /** How the script becomes root; null to run it as the user who has logged in. */
  readonly sudo: Sudo | null;
  /** Ends the command and its children. The promise then rejects with the signal's abort reason. */
  readonly signal: AbortSignal;
  /** Called with each line of standard output. */
  readonly onLine?: (line: string) => void;
}

export interface FeedOptions extends ServerCommandOptions {
  /** Called with the number of bytes that were read from the stream and sent to the script. */
  readonly onSent?: (bytes: number) => void;
}

type ExecOptions = Pick<ServerCommandOptions, 'signal' | 'onLine'> & {
  /** Receives the standard output, which is then missing in the result. */
  readonly output?: Writable;
};

/** Runs scripts on a server over one SSH connection. */
export class ServerShell {
  readonly #client: Client;
  readonly #address: string;
  readonly #endMs: number;

  /**
   * @param address `host:port`, for messages
   * @param endMs replaces {@link END_MS}
   */
  constructor(client: Client, address: string, endMs = END_MS) {
    this.#client = client;
    this.#address = address;
    this.#endMs = endMs;
  }

  /**
   * Runs a script with `sh` and waits until it exits, whatever its exit status. If the connection breaks, the script
   * and its children end. The script has no input. Values in the script must be quoted by `quote`
   * (shared/text/shell.ts).
   *
   * @throws OverworldError SERVER_CONNECTION_LOST, or the signal's abort reason
   */
  async run(script: string, options: ServerCommandOptions): Promise<Ran> {
    const start = inputFor(PRELUDE + untilInputEnds(script), options.sudo);
    return this.#exec(commandFor(options.sudo), options, (channel) => {
      channel.write(start);
      // The end of the input ends the script.
      return { end: () => channel.end() };
    });
  }

  /**
   * Runs a script that reads a stream from its standard input. If the script succeeds before the end of the stream,
   * the rest of the stream is read and dropped. If the script fails, the stream is destroyed.
   *
   * @throws OverworldError SERVER_CONNECTION_LOST; the error of the stream; or the signal's abort reason
   */
  async feed(script: string, input: Readable, options: FeedOptions): Promise<Ran> {
    const failures: Error[] = [];
    const ran = await this.#exec(commandFor(options.sudo), options, (channel) => {
      channel.write(inputFor(PRELUDE + script, options.sudo));
      // The listener is added only now, because it makes the stream flow. Data that arrives before the pipe would be
      // lost.
      input.on('data', (chunk: Buffer) => options.onSent?.(chunk.length));
      input.pipe(channel);
      const end = () => {
        input.unpipe(channel);
        input.destroy();
        channel.close();
      };
      // A failure of the stream must not look like its end. Otherwise, the script would treat the received part as
      // the whole stream.
      input.once('error', (error: Error) => {
        failures.push(error);
        end();
      });
      channel.once('close', (code?: number | null) => {
        // tar exits at the end of its archive, while the sender may still be running. The exit of tar must not end
        // the sender.
        if (code === 0) input.resume();
        else input.destroy();
      });
      return { end };
    });
    if (failures[0] !== undefined) throw failures[0];
    return ran;
  }

  /**
   * Runs a script like {@link run}, and writes its standard output to `output` at the speed of `output`. If `output`
   * closes early, the script is ended.
   *
   * @returns the exit status and error output of the script
   * @throws OverworldError SERVER_CONNECTION_LOST, or the signal's abort reason
   */
  async pour(script: string, output: Writable, options: Omit<ServerCommandOptions, 'onLine'>): Promise<Ran> {
    const start = inputFor(PRELUDE + untilInputEnds(script), options.sudo);
    return this.#exec(commandFor(options.sudo), { ...options, output }, (channel) => {
      channel.write(start);
      let timer: NodeJS.Timeout | null = null;
      const end = () => {
        // The channel closes only after all of its output has been read.
        channel.unpipe(output);
        channel.resume();
        channel.end();
        // A script that has just begun may miss the end of its input.
        timer ??= setTimeout(() => channel.close(), this.#endMs);
      };
      channel.once('close', () => {
        if (timer !== null) clearTimeout(timer);
      });
      output.once('close', end);
      if (output.destroyed) end();
      return { end };
    });
  }

  /**
   * Runs a command line with `input` as its whole standard input, and waits until the command exits, whatever its
   * exit status. The command line must be constant, because nothing in it is quoted.
   *
   * @throws OverworldError SERVER_CONNECTION_LOST, or the signal's abort reason
   */
  async runLine(line: string, input: string, signal: AbortSignal): Promise<Ran> {
    return this.#exec(line, { signal }, (channel) => {
      channel.end(input);
      return { end: () => channel.close() };
    });
  }

  /** Closes the connection. Commands that still run end. */
  close(): void {
    this.#client.end();
    // Ends the connection even if the server does not answer any more.
    setTimeout(() => this.#client.destroy(), END_MS).unref();
  }

  #exec(
    line: string,
    { signal, onLine, output }: ExecOptions,
    attach: (channel: ClientChannel) => { end(): void },
  ): Promise<Ran> {
    const lost = (cause?: unknown) =>
      new OverworldError('SERVER_CONNECTION_LOST', { address: this.#address }, cause);
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      // Without this, a connection that breaks before the server opens the channel leaves the promise pending.
      const onLost = () => reject(lost());
      this.#client.once('close', onLost);
      let timer: NodeJS.Timeout | undefined;
      let opened: { readonly channel: ClientChannel; end(): void } | null = null;
      const onAbort = () => {
        opened?.end();
        timer = setTimeout(() => {
          opened?.channel.close();
          // A server that does not open or close the channel must not delay a cancellation.
          timer = setTimeout(() => {
            reject(reasonOf(signal));
            this.#client.destroy();
          }, this.#endMs);
        }, this.#endMs);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      const settle = () => {
        this.#client.off('close', onLost);
        signal.removeEventListener('abort', onAbort);
        clearTimeout(timer);
      };
      const started = (error: Error | undefined, channel: ClientChannel) => {
        if (error !== undefined) {
          settle();
          reject(lost(error));
          return;
        }
        const stdout = new CommandOutput(onLine);
        const stderr = new CommandOutput();
        if (output === undefined) channel.on('data', (chunk: Buffer) => stdout.add(chunk));
        else channel.pipe(output);
        channel.stderr.on('data', (chunk: Buffer) => stderr.add(chunk));
        const input = attach(channel);
        opened = { channel, end: () => input.end() };
        const closed = new Promise<number | null | undefined>((end) => channel.once('close', end));
        const read = new Promise<void>((end) => channel.stderr.once('close', end));
        void Promise.all([closed, read]).then(([code]) => {
          settle();
          if (signal.aborted) reject(reasonOf(signal));
          // There is no status if the connection broke.
          else if (code === undefined) reject(lost());
          else resolve({ code, stdout: stdout.end(), stderr: stderr.end() });
        });
        // The job was cancelled while the server opened the channel. The time limits are already running.
        if (signal.aborted) input.end();
      };
      try {
        this.#client.exec(line, started);
      } catch (error) {
        // ssh2 throws if the connection is closed already.
        settle();
        reject(lost(error));
      }
    });
  }
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('cancelled');
}

function commandFor(sudo: Sudo | null): string {
  switch (sudo?.kind) {
    case 'free':
      return `env LC_ALL=C sudo -n ${RUN_SCRIPT}`;
    case 'password':
      // -k ignores an earlier authentication, so that sudo always reads the line with the password.
      return `env LC_ALL=C sudo -k -S -p '' ${RUN_SCRIPT}`;
    case 'root':
    case undefined:
      return RUN_SCRIPT;
  }
}

function inputFor(script: string, sudo: Sudo | null): string {
  const line = `${Buffer.from(script).toString('base64')}\n`;
  return sudo?.kind === 'password' ? `${sudo.password}\n${line}` : line;
}
