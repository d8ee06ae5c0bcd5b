import type { Readable, Writable } from 'node:stream';
import { OverworldError } from '#shared/errors/overworld-error.ts';

/** How a command on a node ended, and what it said. */
export interface ShellResult {
  /** Exit status; null when a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: Buffer;
  /** Its last part, when there was more than is kept. */
  readonly stderr: string;
}

export interface RunOptions {
  /** Given to its standard input, which is closed then. */
  readonly stdin?: string | Buffer | Readable;
  /** Ended with its channel after this time, ms; 60,000. The command itself may live on: it must be made for that. */
  readonly timeoutMs?: number;
  /** More output than this is an error, bytes; 16 MiB. */
  readonly maxBytes?: number;
}

/** A command that runs until it is closed or its connection breaks. */
export interface RunningCommand {
  readonly stdout: Readable;
  /** Resolves when it has ended, however it did; null when the connection broke or it was closed. Never rejects. */
  readonly ended: Promise<ShellResult | null>;
  close(): void;
}

/** A command that is spoken with. */
export interface SpokenCommand extends RunningCommand {
  /** Its standard input; what is written once it has ended is lost. */
  readonly stdin: Writable;
  /** Resolves when its process has ended or is lost; what it started may still speak. Never rejects. */
  readonly exited: Promise<void>;
}

/** Runs commands on one node as root, over one SSH connection whose host key is pinned (docs/adr/0015). */
export interface NodeShell {
  /** False while there is no connection that was checked and prepared. */
  readonly connected: boolean;
  /**
   * Runs a command and waits for its end, whatever its exit status.
   *
   * @param command a line for the node's `sh`; arguments from outside go through {@link quote} or its standard input
   * @throws OverworldError NODE_UNREACHABLE: there is no connection, it broke, or the time was up. Then nobody knows
   *   whether the command did its work: whoever calls must be able to ask again
   */
  run(command: string, options?: RunOptions): Promise<ShellResult>;
  /** Starts a command that goes on, such as one that follows a log. @throws OverworldError NODE_UNREACHABLE */
  follow(command: string): Promise<RunningCommand>;
  /**
   * Starts a command to speak with. It has to end when its input does: that is all that it sees of the end of its channel.
   *
   * @throws OverworldError NODE_UNREACHABLE
   */
  speak(command: string): Promise<SpokenCommand>;
  /** Calls back whenever the connection was made or lost. @returns a function that unsubscribes */
  onChange(listener: (connected: boolean) => void): () => void;
}

/** One argument for `sh`, whatever it holds. */
export function quote(argument: string): string {
  return `'${argument.replaceAll("'", `'\\''`)}'`;
}

/** Of a machine that nobody connects to at this moment, as one that is switched off. */
export function noShell(node: string): NodeShell {
  const refuse = (): Promise<never> =>
    Promise.reject(new OverworldError('NODE_UNREACHABLE', { node, why: 'it is not connected to' }));
  return { connected: false, run: refuse, follow: refuse, speak: refuse, onChange: () => () => undefined };
}
