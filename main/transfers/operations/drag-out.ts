import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { ByteLimit } from '../queue/byte-limit.ts';
import { copyTree } from './copy-tree.ts';
import { nameOf } from './file-copy.ts';
import { isLocalName } from '../remote/names.ts';
import { PartLedger } from './part.ts';
import type { RemoteFiles } from '../remote/remote-files.ts';
import { walkRemote } from './tree.ts';

/** Together, in bytes: a person holds the mouse button until they are here. */
const MAX_BYTES = 256 * 1_048_576;

/** Folders of earlier drags that are kept: the program they were dropped on may still be reading. */
const KEPT = 3;

/** Fetches files of the master to a temporary folder, for the system's file manager to take. */
export class DragOut {
  readonly #folders: string[] = [];
  readonly #mostBytes: number;

  /** @param mostBytes of one drag together */
  constructor(mostBytes = MAX_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /**
   * @returns paths of the copies on this computer, in the order asked for
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
    // What a folder says of its files, and what they bring, are two things: they grow, or somebody lies.
    const limit = new ByteLimit(this.#mostBytes);
    const copies: string[] = [];
    for (const [index, path] of paths.entries()) {
      // Two of one name can be dragged together: each has a folder of its own.
      const localPath = join(await mkdtemp(join(folder, `${index}-`)), nameOf(path));
      await copyTree({
        direction: 'download',
        ...{ files, localPath, remotePath: path },
        policy: 'refuse',
        again: false,
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

  /** The app ends: deletes all copies. */
  async close(): Promise<void> {
    await this.#forget(this.#folders.splice(0));
  }

  async #forget(folders: readonly string[]): Promise<void> {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  }
}
