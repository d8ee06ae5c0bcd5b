import type { Client } from 'ssh2';
import type { Log } from '../../environment/log.ts';
import type { RemoteFiles } from './remote-files.ts';
import { RequestLog } from './request-log.ts';

interface SessionOptions {
  /** Returns the open SSH connection. Throws NOT_CONNECTED if there is none. */
  readonly ssh: () => Client;
  /** Returns the id of the open connection's profile. Null while there is no connection. */
  readonly connection: () => string | null;
  readonly log: Log;
}

/** Provides the file operations of the link's current connection. Opens one channel per connection on first use. */
export class RemoteSession {
  readonly #options: SessionOptions;
  readonly requests = new RequestLog();
  #open: { readonly client: Client; readonly files: Promise<RemoteFiles> } | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Id of the profile of the connected master. Null if none is connected. */
  get connection(): string | null {
    return this.#options.connection();
  }

  /**
   * Returns the file operations of the current connection.
   *
   * @throws OverworldError NOT_CONNECTED
   */
  async files(): Promise<RemoteFiles> {
    const client = this.#options.ssh();
    if (this.#open?.client === client) return this.#open.files;
    const connection = this.connection ?? '';
    const open = { client, files: openFiles(client, { connection, log: this.requests }) };
    this.#open = open;
    try {
      const files = await open.files;
      files.onClose(() => this.#forget(open));
      return files;
    } catch (error) {
      this.#forget(open);
      throw error;
    }
  }

  #forget(open: object): void {
    if (this.#open === open) this.#open = null;
  }
}

/** Opens a channel. Loads the code for it on first use, and not at each start of the app. */
async function openFiles(...given: Parameters<typeof RemoteFiles.open>): Promise<RemoteFiles> {
  const { RemoteFiles: opened } = await import('./remote-files.ts');
  return opened.open(...given);
}
