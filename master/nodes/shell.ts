import type { Readable, Writable } from 'node:stream';
import { OverworldError } from '#shared/errors/overworld-error.ts';

/** Exit status and output of a command on a node. */
export interface ShellResult {
  /** Exit status; null if a signal terminated the command. */
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: Buffer;
  /** Standard error; only its last 16 KiB if it is longer. */
  readonly stderr: string;
}

export interface NodeCommandOptions {
  /** Content of the command's standard input, which is closed afterwards. */
  readonly stdin?: string | Buffer | Readable;
  /**
   * Time limit after which the channel is closed (ms); default 60,000. The command itself may continue to run, so
   * repeating it must be safe.
   */
  readonly timeoutMs?: number;
  /** Limit of the standard output (bytes); default 16 MiB. With more output, the call fails. */
  readonly maxBytes?: number;
}

/** A running command. It runs until it exits, it is closed, or its connection breaks. */
export interface RunningCommand {
  readonly stdout: Readable;
  /**
   * Resolves with the result when the command has exited; with null if the connection broke or {@link
   * RunningCommand.close} was called. Never rejects.
   */
  readonly ended: Promise<ShellResult | null>;
  close(): void;
}

/** A running command to which input can be sent. */
export interface InteractiveCommand extends RunningCommand {
  /** Standard input. Data written after the command has exited is lost. */
  readonly stdin: Writable;
  /**
   * Resolves when the command's process has exited or the connection to it is lost. Its child processes may still
   * write output. Never rejects.
   */
  readonly exited: Promise<void>;
}

/** Runs commands on one node as root, over an SSH connection with a pinned host key (docs/adr/0015). */
export interface NodeShell {
  /** Whether there is a verified and prepared connection. */
  readonly connected: boolean;
  /**
   * Runs a command and waits until it exits, whatever its exit status.
   *
   * @param command a line for the node's `sh`; pass external arguments through `quote` (shared/text/shell.ts) or
   *   standard input
   * @throws OverworldError NODE_UNREACHABLE if there is no connection, if it broke, or on timeout. It is then unknown
   *   whether the command has done its work, so callers must be able to repeat it. NODE_TOOL_FAILED if the output
   *   exceeds `maxBytes`
   */
  run(command: string, options?: NodeCommandOptions): Promise<ShellResult>;
  /** Starts a command that keeps running, such as one that follows a log. @throws OverworldError NODE_UNREACHABLE */
  follow(command: string): Promise<RunningCommand>;
  /**
   * Starts an interactive command. The command must exit at the end of its standard input, because the end of the
   * input is the command's only sign that the channel was closed.
   *
   * @throws OverworldError NODE_UNREACHABLE
   */
  speak(command: string): Promise<InteractiveCommand>;
  /** Subscribes to connects and disconnects. @returns a function that unsubscribes */
  onChange(listener: (connected: boolean) => void): () => void;
}

/** Returns a shell whose commands fail with NODE_UNREACHABLE, for a node without a connection. */
export function noShell(node: string): NodeShell {
  const refuse = (): Promise<never> =>
    Promise.reject(new OverworldError('NODE_UNREACHABLE', { node, why: 'it is not connected to' }));
  return { connected: false, run: refuse, follow: refuse, speak: refuse, onChange: () => () => undefined };
}
