import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { SizeLimit } from './size-limit.ts';
import { copyTree } from './copy-tree.ts';
import { nameOf } from './file-copy.ts';
import { isLocalName } from '../remote/names.ts';
import { PartLedger } from './part.ts';
import type { RemoteFiles } from '../remote/remote-files.ts';
import { walkRemote } from './tree.ts';

/** Maximum total size of one drag (bytes), because a person holds the mouse button until the download is complete. */
const MAX_BYTES = 256 * 1_048_576;

/** Number of most recent drags whose folders are kept, because the target program may still be reading them. */
const KEPT = 3;

/** Downloads files of the master to a temporary folder for a drag to the system's file manager. */
export class DragOut {
  readonly #folders: string[] = [];
  readonly #mostBytes: number;

  /** @param mostBytes maximum total size of one drag */
  constructor(mostBytes = MAX_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /**
   * Downloads files of at most 256 MiB in all for one drag. Deletes the copies of all but the last three drags.
   *
   * @returns paths of the local copies, in the same sequence as `paths`
   * @throws OverworldError FILE_TOO_LARGE, FILE_NOT_FOUND, FILE_NAME_INVALID
   */
  async fetch(files: RemoteFiles, paths: readonly string[]): Promise<string[]> {
    let bytes = 0;
    for (const path of paths) {
      const name = nameOf(path);
      if (!isLocalName(name, process.platform)) throw new OverworldError('FILE_NAME_INVALID', { name });
      bytes += (await walkRemote(files, path)).files.reduce((sum, file) => sum + file.bytes, 0);
      if (bytes > this.#mostBytes) {
        throw new OverworldError('FILE_TOO_LARGE', { path, bytes, limit: this.#mostBytes });
      }
    }
    const folder = await mkdtemp(join(tmpdir(), 'overworld-drag-'));
    this.#folders.push(folder);
    await this.#forget(this.#folders.splice(0, this.#folders.length - KEPT));
    // Counts the received bytes, because files may grow and a server may report wrong sizes.
    const limit = new SizeLimit(this.#mostBytes);
    const copies: string[] = [];
    for (const [index, path] of paths.entries()) {
      // Each file gets its own folder, because two files of the same name can be dragged together.
      const localPath = join(await mkdtemp(join(folder, `${index}-`)), nameOf(path));
      await copyTree({
        direction: 'download',
        files,
        localPath,
        remotePath: path,
        policy: 'refuse',
        again: false,
        equalBefore: new Set(),
        origin: files.connection,
        parts: new PartLedger(new Set()),
        signal: limit.signal,
        onTotal: () => undefined,
        onBytes: (received) => limit.add(path, received),
        onFile: () => undefined,
      });
      copies.push(localPath);
    }
    return copies;
  }

  /** Deletes all copies. Called when the app quits. */
  async close(): Promise<void> {
    await this.#forget(this.#folders.splice(0));
  }

  async #forget(folders: readonly string[]): Promise<void> {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  }
}
