import type { Client } from 'ssh2';
import type { Log } from '../log.ts';
import { RemoteFiles } from './remote-files.ts';

/** Gives the file operations of the link's present connection: one channel for each, opened when first needed. */
export class RemoteSession {
  readonly #ssh: () => Client;
  readonly #log: Log;
  #open: { readonly client: Client; readonly files: Promise<RemoteFiles> } | null = null;
  readonly #leftovers = new Set<string>();

  /** @param ssh the open connection; throws NOT_CONNECTED when there is none */
  constructor(ssh: () => Client, log: Log) {
    this.#ssh = ssh;
    this.#log = log;
  }

  /** @throws OverworldError NOT_CONNECTED */
  async files(): Promise<RemoteFiles> {
    const client = this.#ssh();
    if (this.#open?.client === client) return this.#open.files;
    const open = { client, files: this.#start(client) };
    this.#open = open;
    try {
      return await open.files;
    } catch (error) {
      this.#forget(open);
      throw error;
    }
  }

  /** Remembers a temporary file that could not be deleted; the next channel does it. */
  addLeftover(path: string): void {
    this.#leftovers.add(path);
  }

  async #start(client: Client): Promise<RemoteFiles> {
    const files = await RemoteFiles.open(client);
    files.onClose(() => {
      if (this.#open?.client === client) this.#open = null;
    });
    for (const path of this.#leftovers) {
      await files.deleteFile(path).then(
        () => this.#leftovers.delete(path),
        (error: unknown) => this.#log.warn({ err: error, path }, 'a temporary file could not be deleted'),
      );
    }
    return files;
  }

  #forget(open: object): void {
    if (this.#open === open) this.#open = null;
  }
}
