import type { InteractiveCommand } from '#master/nodes/shell.ts';
import { ToolSession, type SessionCall, type SessionReply } from './tool-session.ts';

/**
 * Keeps one session open with the program `tool` on a node. The first call opens the session, and the first call
 * after an interruption opens a new one.
 */
export class ToolSessions {
  readonly #start: () => Promise<InteractiveCommand>;
  #session: ToolSession | null = null;
  #opening: Promise<ToolSession> | null = null;
  #closed = false;

  /** @param start starts the tool; if it rejects, {@link ToolSessions.call} rejects, too */
  constructor(start: () => Promise<InteractiveCommand>) {
    this.#start = start;
  }

  /**
   * Calls the tool; see {@link ToolSession.call}. Rejects with the error of `start` if the tool cannot be started.
   */
  async call(call: SessionCall): Promise<SessionReply> {
    const session = this.#session?.isOpen === true ? this.#session : await this.#open();
    return session.call(call);
  }

  /** Closes the session. Calls in progress continue on the node, but their results are lost. */
  close(): void {
    this.#closed = true;
    this.#session?.close();
  }

  /** Opens a session; calls made while it opens share it. */
  #open(): Promise<ToolSession> {
    this.#opening ??= this.#start()
      .then((command) => {
        this.#session = new ToolSession(command);
        if (this.#closed) this.#session.close();
        return this.#session;
      })
      .finally(() => (this.#opening = null));
    return this.#opening;
  }
}
