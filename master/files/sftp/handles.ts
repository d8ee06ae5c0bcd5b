import { closeSync, fstatSync, type Dir } from 'node:fs';
import type { WriteLimit } from '#master/store/disk-reserve.ts';
import type { GrowingFile } from './growing-file.ts';
import type { FileArea, PlacedPath } from './jail/file-area.ts';
import type { CachedFolder } from './jail/pin-cache.ts';
import type { ViewFile, ViewFolder } from './views/view.ts';
import type { OperationQueue } from './operation-queue.ts';
import type { NameEntry } from './protocol/packets.ts';
import { SMALL_BYTES, type PoolBypass } from './jail/pool-bypass.ts';
import { MAX_HANDLES } from './protocol/protocol.ts';
import { failure, forbidden } from './protocol/refusal.ts';
import type { ViewPath } from './protocol/virtual-path.ts';
import { system } from './jail/system-calls.ts';

export interface OpenFile {
  readonly kind: 'file';
  /** File descriptor. */
  readonly file: number;
  /** Jail that contains the file. */
  readonly area: FileArea;
  readonly path: PlacedPath;
  /** Path of the file as the client knows it. */
  readonly shown: PlacedPath | ViewPath;
  readonly queue: OperationQueue;
  /** Decides whether short calls on the file run on the event loop or in the thread pool. */
  readonly calls: PoolBypass;
  readonly readable: boolean;
  readonly writable: boolean;
  /** Whether opening the file has created or truncated it, so that its whole content comes through this handle. */
  readonly isNew: boolean;
  /** Must be asked before the file grows. */
  readonly limit: WriteLimit;
  /** Runs a change of the open file. If the file belongs to a view that has ended the access, throws the reason. */
  readonly guard: <T>(work: () => Promise<T>) => Promise<T>;
  /** Called once when the file is closed. */
  readonly release: () => void;
  /** Writes to the file if the limit permits it. */
  readonly growing: GrowingFile;
  /** Whether the file was created, truncated or written to, so that closing it emits an event. */
  changed: boolean;
  /**
   * Size of the file when it was opened, if it was opened for reading only; otherwise Infinity. The file may have
   * changed since then.
   */
  readonly size: number;
}

export interface OpenFolder {
  readonly kind: 'folder';
  /** Decides which entries the client sees. */
  readonly area: Pick<FileArea, 'shows'>;
  readonly folder: CachedFolder;
  readonly dir: Dir;
  /** Settles when the previous READDIR has finished, so that READDIRs run one after the other. */
  turn: Promise<unknown>;
}

/**
 * The root folder, opened by a client. It does not exist on disk. `entries`: entries that READDIR has not sent yet.
 */
export interface OpenRoot {
  readonly kind: 'root';
  readonly entries: NameEntry[];
}

/** A file of a view that is open for reading. A file of a view that is open for writing is an {@link OpenFile}. */
export interface OpenViewFile {
  readonly kind: 'view file';
  readonly file: ViewFile;
  readonly queue: OperationQueue;
}

export interface OpenViewFolder {
  readonly kind: 'view folder';
  readonly folder: ViewFolder;
  /** Settles when the previous READDIR has finished, so that READDIRs run one after the other. */
  turn: Promise<unknown>;
}

export type OpenHandle = OpenFile | OpenFolder | OpenRoot | OpenViewFile | OpenViewFolder;

/**
 * Open files and folders of one session. A handle is a 32-bit number. Each new handle is one larger than the last.
 */
export class Handles {
  readonly #open = new Map<number, OpenHandle>();
  #ended = false;
  #reserved = 0;
  #last = 0;

  /** Whether the session has ended. Long-running work checks this value and then stops. */
  get ended(): boolean {
    return this.#ended;
  }

  /**
   * Opens a file or folder, and assigns a handle to it. The handle counts towards the maximum from the start of the
   * call, before `open` has finished.
   *
   * @throws Refusal if the session has too many open handles
   */
  async reserve(open: () => Promise<OpenHandle>): Promise<number> {
    if (this.#open.size + this.#reserved >= MAX_HANDLES) {
      throw failure(`Too many open files (at most ${MAX_HANDLES} in one session)`);
    }
    this.#reserved += 1;
    try {
      const opened = await open();
      if (this.#ended) {
        await closeOpen(opened);
        throw failure('The session has ended');
      }
      do this.#last = (this.#last + 1) >>> 0;
      while (this.#open.has(this.#last));
      this.#open.set(this.#last, opened);
      return this.#last;
    } finally {
      this.#reserved -= 1;
    }
  }

  /**
   * Returns the file or folder of a handle.
   *
   * @throws Refusal if the handle is not open
   */
  get(handle: Buffer): OpenHandle {
    const open = this.#open.get(toNumber(handle));
    if (open === undefined) throw failure('This handle is not open');
    return open;
  }

  /**
   * Returns the open file of a handle.
   *
   * @throws Refusal if the handle is not open, or if it is a folder or a file of a view that was opened for reading
   */
  file(handle: Buffer): OpenFile {
    const open = this.get(handle);
    if (open.kind === 'view file')
      throw forbidden('This is not possible with a file of a service or volume that is open for reading');
    if (open.kind !== 'file') throw failure('This handle is a folder');
    return open;
  }

  /** Removes a handle and returns its file or folder, which the caller must close. */
  take(handle: Buffer): OpenHandle {
    const open = this.get(handle);
    this.#open.delete(toNumber(handle));
    return open;
  }

  /**
   * Marks the session as ended, and returns all open files and folders, which the caller must close. Files and
   * folders that are still being opened are closed automatically.
   */
  takeAll(): OpenHandle[] {
    this.#ended = true;
    const all = [...this.#open.values()];
    this.#open.clear();
    return all;
  }
}

function toNumber(handle: Buffer): number {
  return handle.length === 4 ? handle.readUInt32BE(0) : -1;
}

/**
 * Closes a file or folder after its pending operations. Throws the errors of the close call, because the system may
 * report a full disk only at that time.
 */
export async function closeOpen(open: OpenHandle): Promise<void> {
  switch (open.kind) {
    case 'file':
      return open.queue.alone(() => closeFile(open)).finally(open.release);
    case 'folder':
      await open.turn;
      open.dir.closeSync();
      open.folder.close();
      return;
    case 'view file':
      return open.queue.alone(() => Promise.resolve().then(() => open.file.close()));
    case 'view folder':
      // Does not wait for a READDIR in progress. The READDIR may never end, because a node may list a folder without
      // end.
      open.folder.close();
      return;
    case 'root':
      return;
  }
}

/**
 * Closes a file. The call runs on the event loop if it presumably does not wait for the disk: the file is not
 * writable, or it is small and expected to be in memory. Otherwise the call runs in the thread pool.
 */
async function closeFile({ file, writable, calls }: OpenFile): Promise<void> {
  const now = (): void => closeSync(file);
  const later = (): Promise<void> => system.close(file);
  if (!writable) now();
  else if (isSmall(file)) await calls.run(now, later);
  else await later();
}

/**
 * Returns whether a file is small. If its size cannot be read, returns false instead of throwing, so that the caller
 * closes the file anyway.
 */
function isSmall(file: number): boolean {
  try {
    return fstatSync(file).size <= SMALL_BYTES;
  } catch {
    return false;
  }
}
