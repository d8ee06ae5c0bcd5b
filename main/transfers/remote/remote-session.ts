import type { Client } from 'ssh2';
import type { Log } from '../../log.ts';
import type { RemoteFiles } from './remote-files.ts';
import { RequestLog } from './request-log.ts';

interface SessionOptions {
  /** The open connection; throws NOT_CONNECTED when there is none. */
  readonly ssh: () => Client;
  /** Id of the connection profile that it belongs to; null while there is no connection. */
  readonly connection: () => string | null;
  readonly log: Log;
}

/** Gives the file operations of the link's present connection: one channel for each, opened when first needed. */
export class RemoteSession {
  readonly #options: SessionOptions;
  readonly requests = new RequestLog();
  #open: { readonly client: Client; readonly files: Promise<RemoteFiles> } | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Id of the connection profile whose master can be asked now; null when there is none. */
  get connection(): string | null {
    return this.#options.connection();
  }

  /** @throws OverworldError NOT_CONNECTED */
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

/** Its code is read when first needed: not at each start of the app. */
async function openFiles(...given: Parameters<typeof RemoteFiles.open>): Promise<RemoteFiles> {
  const { RemoteFiles: opened } = await import('./remote-files.ts');
  return opened.open(...given);
}
