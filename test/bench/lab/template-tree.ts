import { createHash, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readLayout, type Layout } from '#master/runtime/systemd/layout.ts';
import { DefaultFileReader } from '#master/templates/default-files/default-file-facts.ts';
import type { RevisionLease } from '#master/templates/template-files.ts';

type Entry = RevisionLease['entries'][number];

/** Number of large files in a template, such as worlds and jars. They contain four fifths of the template's bytes. */
const LARGE_FILES = 8;
const LARGE_SHARE = 0.8;
/** Sizes of small files, such as data and configuration of plugins, as multiples of their mean size. */
const SMALL_SIZES = [0.1, 0.3, 0.6, 1, 3];
const FILES_PER_FOLDER = 50;
const MODE = 0o600;

/** Size of a template: its bytes and its number of files. */
export interface TreeSize {
  readonly bytes: number;
  readonly files: number;
}

/**
 * Files of a template. They cannot be compressed, their hashes are computed, and they are stored in the same way as a
 * revision of the master.
 */
export class TemplateTree {
  readonly folder: string;
  readonly #entries = new Map<string, Entry>();

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async write(folder: string, { bytes, files }: TreeSize): Promise<TemplateTree> {
    const tree = new TemplateTree(folder);
    const smallFiles = files - LARGE_FILES;
    const mean = (bytes * (1 - LARGE_SHARE)) / smallFiles;
    for (let i = 0; i < LARGE_FILES; i++) {
      await tree.#put(`world/region/r.${i}.mca`, Math.round((bytes * LARGE_SHARE) / LARGE_FILES));
    }
    for (let i = 0; i < smallFiles; i++) {
      const folderNumber = Math.floor(i / FILES_PER_FOLDER);
      const share = SMALL_SIZES[i % SMALL_SIZES.length] ?? 1;
      await tree.#put(`plugins/data-${folderNumber}/file-${i}.dat`, Math.round(mean * share));
    }
    return tree;
  }

  get files(): number {
    return this.#entries.size;
  }

  /** Total size of the files (bytes). */
  get bytes(): number {
    return [...this.#entries.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Replaces the content of one file, and keeps its size.
   *
   * @returns the file's size (bytes)
   */
  async changeOne(): Promise<number> {
    const path = `plugins/data-0/file-3.dat`;
    const size = this.#entries.get(path)?.size ?? 0;
    await this.#put(path, size);
    return size;
  }

  /** Returns the description of the files that the master sends to a node. */
  layout(): Promise<Layout> {
    const entries = [...this.#entries.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    const lease: RevisionLease = {
      entries,
      pathOf: (path) => join(this.folder, path),
      release: () => undefined,
    };
    return readLayout({ defaultServiceFiles: [], persistentPaths: [] }, lease, {
      folder: this.folder,
      reader: new DefaultFileReader(),
      given: [],
    });
  }

  async #put(path: string, size: number): Promise<void> {
    const content = randomBytes(size);
    const full = join(this.folder, path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, content, { mode: MODE });
    const hash = createHash('sha256').update(content).digest('hex');
    this.#entries.set(path, { path, size, mode: MODE, hash });
  }
}
