import { createHash } from 'node:crypto';
import { open, rename, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { PersistentFile } from '#master/templates/revisions/manifest.ts';

/**
 * Receives a stream that contains the contents of several files, one after the other. Writes each content to a file
 * that is named by its hash.
 */
export class ContentReceiver {
  readonly #files: readonly Pick<PersistentFile, 'hash' | 'size'>[];
  readonly #folder: string;
  #next = 0;
  #left = 0;
  #digest = createHash('sha256');
  #out: FileHandle | null = null;

  constructor(files: readonly Pick<PersistentFile, 'hash' | 'size'>[], folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  /** Whether all files have arrived. */
  get isComplete(): boolean {
    return this.#out === null && this.#next === this.#files.length;
  }

  /** Throws an Error if a content does not have its hash, or there are more bytes than expected; errno errors. */
  async add(chunk: Buffer): Promise<void> {
    let rest = chunk;
    while (rest.length > 0) {
      await this.#begin();
      if (this.#out === null) throw new Error('the node sent more bytes than requested');
      const piece = rest.subarray(0, this.#left);
      rest = rest.subarray(piece.length);
      this.#left -= piece.length;
      this.#digest.update(piece);
      await this.#out.writeFile(piece);
      if (this.#left === 0) await this.#finish();
    }
  }

  /** Handles the end of the stream: files without content have sent no bytes. */
  async end(): Promise<void> {
    if (this.#out === null) await this.#begin();
    if (this.#out !== null) await this.cancel();
  }

  /** Closes the open file, which stays incomplete. Must not be called during {@link add}. */
  async cancel(): Promise<void> {
    const out = this.#out;
    this.#out = null;
    // The caller knows already why the transfer has ended.
    await out?.close().catch(() => undefined);
  }

  /** Opens the next file, if none is open. Files without content are complete at once. */
  async #begin(): Promise<void> {
    while (this.#out === null) {
      const file = this.#files[this.#next];
      if (file === undefined) return;
      this.#left = file.size;
      this.#digest = createHash('sha256');
      this.#out = await open(this.#partOf(file.hash), 'wx', 0o600);
      if (file.size === 0) await this.#finish();
    }
  }

  async #finish(): Promise<void> {
    const { hash } = this.#files[this.#next] ?? { hash: '' };
    const out = this.#out;
    if (out === null) return;
    await out.close();
    if (this.#digest.digest('hex') !== hash) throw new Error('a file changed while it was transferred');
    await rename(this.#partOf(hash), join(this.#folder, hash));
    this.#out = null;
    this.#next += 1;
  }

  #partOf(hash: string): string {
    return join(this.#folder, `${hash}.part`);
  }
}
