import type { Readable, Writable } from 'node:stream';
import { OverworldError } from '#shared/errors/overworld-error.ts';

/** Exit and output of a command on a node. */
export interface ShellResult {
  /** Exit status; null if the command was ended by a signal. */
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: Buffer;
  /** Standard error; only the last part if it exceeds the limit. */
  readonly stderr: string;
}

export interface RunOptions {
  /** Content of its standard input, which is closed afterwards. */
  readonly stdin?: string | Buffer | Readable;
  /**
   * Time limit after which the channel is closed (ms); default 60,000. The command itself may continue and must
   * cope with that.
   */
  readonly timeoutMs?: number;
  /** Output limit (bytes); default 16 MiB. More output is an error. */
  readonly maxBytes?: number;
}

/** Command that runs until it is closed or its connection breaks. */
export interface RunningCommand {
  readonly stdout: Readable;
  /**
   * Resolves when the command has ended for any reason; null if the connection broke or the command was closed.
   * Never rejects.
   */
  readonly ended: Promise<ShellResult | null>;
  close(): void;
}

/** Command with interactive input. */
export interface InteractiveCommand extends RunningCommand {
  /** Standard input. Data written after the command has exited is lost. */
  readonly stdin: Writable;
  /** Resolves when its process has exited or is lost; its children may still write output. Never rejects. */
  readonly exited: Promise<void>;
}

/** Runs commands on one node as root, over an SSH connection with a pinned host key (docs/adr/0015). */
export interface NodeShell {
  /** Whether there is a verified and prepared connection. */
  readonly connected: boolean;
  /**
   * Runs a command and waits until it exits, whatever its exit status.
   *
   * @param command a line for the node's `sh`; pass external arguments through {@link quote} or standard input
   * @throws OverworldError NODE_UNREACHABLE if there is no connection, it broke, or on timeout. It is then unknown
   *   whether the command has done its work, so callers must be able to repeat it
   */
  run(command: string, options?: RunOptions): Promise<ShellResult>;
  /** Starts a command that keeps running, such as one that follows a log. @throws OverworldError NODE_UNREACHABLE */
  follow(command: string): Promise<RunningCommand>;
  /**
   * Starts an interactive command. It must exit when its input ends, because that is the only sign of a closed
   * channel.
   *
   * @throws OverworldError NODE_UNREACHABLE
   */
  speak(command: string): Promise<InteractiveCommand>;
  /** Subscribes to connects and disconnects. @returns a function that unsubscribes */
  onChange(listener: (connected: boolean) => void): () => void;
}

/**
 * Quotes an argument for `sh`, whatever its content.
 *
 * Example: `quote("it's")` is `'it'\''s'`.
 */
export function quote(argument: string): string {
  return `'${argument.replaceAll("'", `'\\''`)}'`;
}

/** Returns a shell for a node without a connection, such as one that is switched off. */
export function noShell(node: string): NodeShell {
  const refuse = (): Promise<never> =>
    Promise.reject(new OverworldError('NODE_UNREACHABLE', { node, why: 'it is not connected to' }));
  return { connected: false, run: refuse, follow: refuse, speak: refuse, onChange: () => () => undefined };
}
