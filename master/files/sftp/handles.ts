import { closeSync, type Dir } from 'node:fs';
import type { PlacedPath } from './file-area.ts';
import type { HeldFolder } from './kept-pins.ts';
import type { OperationQueue } from './operation-queue.ts';
import type { NameEntry } from './packets.ts';
import { MAX_HANDLES } from './protocol.ts';
import { failure } from './refusal.ts';
import { system } from './system-calls.ts';

export interface OpenFile {
  readonly kind: 'file';
  /** Its number at the operating system. */
  readonly file: number;
  readonly path: PlacedPath;
  readonly queue: OperationQueue;
  readonly readable: boolean;
  readonly writable: boolean;
  /** True once there is something to tell of: it was made, emptied or written to. */
  changed: boolean;
  /** Where a read last came to the end of the file; it may have changed since. */
  end: number;
}

export interface OpenFolder {
  readonly kind: 'folder';
  readonly folder: HeldFolder;
  readonly dir: Dir;
  /** READDIRs one after the other: the end of the one before. */
  turn: Promise<unknown>;
}

/** The virtual root, whose entries are known; those told are taken out. */
export interface OpenRoot {
  readonly kind: 'root';
  readonly entries: NameEntry[];
}

export type Open = OpenFile | OpenFolder | OpenRoot;

/** The open files and folders of one session, named by a number of 32 bits that goes up. */
export class Handles {
  readonly #open = new Map<number, Open>();
  #ended = false;
  #reserved = 0;
  #last = 0;

  /** True once the session has ended: what takes long is not wanted any more. */
  get ended(): boolean {
    return this.#ended;
  }

  /**
   * Keeps a place while something is being opened.
   *
   * @throws Refusal when there are too many
   */
  async reserve(open: () => Promise<Open>): Promise<number> {
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

  /** @throws Refusal for a handle that is not open (any more) */
  get(handle: Buffer): Open {
    const open = this.#open.get(toNumber(handle));
    if (open === undefined) throw failure('This handle is not open');
    return open;
  }

  file(handle: Buffer): OpenFile {
    const open = this.get(handle);
    if (open.kind !== 'file') throw failure('This handle is a folder');
    return open;
  }

  /** Forgets a handle; the caller closes what it named. */
  take(handle: Buffer): Open {
    const open = this.get(handle);
    this.#open.delete(toNumber(handle));
    return open;
  }

  /** Ends the session: what is open is the caller's to close, and what is still being opened closes itself. */
  takeAll(): Open[] {
    this.#ended = true;
    const all = [...this.#open.values()];
    this.#open.clear();
    return all;
  }
}

function toNumber(handle: Buffer): number {
  return handle.length === 4 ? handle.readUInt32BE(0) : -1;
}

/** Closes after what was asked for before; errors of the closing are thrown (a full disk may tell only then). */
export async function closeOpen(open: Open): Promise<void> {
  switch (open.kind) {
    case 'file':
      return open.queue.alone(() => closeFile(open));
    case 'folder':
      await open.turn;
      open.dir.closeSync();
      open.folder.close();
      return;
    case 'root':
      return;
  }
}

/** Only where something was written may closing wait for a disk. */
async function closeFile({ file, writable }: OpenFile): Promise<void> {
  if (writable) await system.close(file);
  else closeSync(file);
}
