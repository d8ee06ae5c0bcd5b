import { OverworldError } from '#shared/errors/overworld-error.ts';
import type {
  NodeShell,
  NodeCommandOptions,
  RunningCommand,
  ShellResult,
  InteractiveCommand,
} from '../shell.ts';
import type { NodeConnection } from './connection.ts';

/**
 * Shell of a node. The shell stays usable as long as the node is managed, even when the connection to the node is
 * replaced.
 */
export class ContactShell implements NodeShell {
  readonly #node: string;
  readonly #listeners = new Set<(connected: boolean) => void>();
  #connection: NodeConnection | null = null;
  #why = 'there is no connection yet';

  constructor(node: string) {
    this.#node = node;
  }

  get connected(): boolean {
    return this.#connection !== null;
  }

  async run(command: string, options?: NodeCommandOptions): Promise<ShellResult> {
    return this.#open().run(command, options);
  }

  async follow(command: string): Promise<RunningCommand> {
    return this.#open().follow(command);
  }

  async speak(command: string): Promise<InteractiveCommand> {
    return this.#open().speak(command);
  }

  onChange(listener: (connected: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Uses this connection for all commands from now on. The connection must be verified and prepared. */
  attach(connection: NodeConnection): void {
    this.#connection = connection;
    this.#notify();
  }

  /** Marks the shell as disconnected. @param why reason in the errors of subsequent calls */
  detach(why: string): void {
    this.#why = why;
    if (this.#connection === null) return;
    this.#connection = null;
    this.#notify();
  }

  #open(): NodeConnection {
    if (this.#connection === null) {
      throw new OverworldError('NODE_UNREACHABLE', { node: this.#node, why: this.#why });
    }
    return this.#connection;
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener(this.connected);
  }
}

/** Returns the shell of a single connection, for use before the connection is available to others. */
export function shellOf(connection: NodeConnection): NodeShell {
  let connected = true;
  void connection.broken.then(() => (connected = false));
  return {
    get connected() {
      return connected;
    },
    run: (command, options) => connection.run(command, options),
    follow: (command) => connection.follow(command),
    speak: (command) => connection.speak(command),
    onChange: (listener) => {
      let listening = true;
      void connection.broken.then(() => {
        if (listening) listener(false);
      });
      return () => (listening = false);
    },
  };
}
