import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { waitFor } from '../../support/wait-for.ts';
import { must } from './run.ts';

/** A node's disk of limited size: the base image, with the node's changes on top. */
export class Disk {
  /** The node's root folder on the host. */
  readonly root: string;
  readonly #folder: string;
  readonly #upper: string;
  #sizeMb = 0;

  constructor(folder: string) {
    this.#folder = folder;
    this.#upper = join(folder, 'disk');
    this.root = join(folder, 'root');
  }

  /** @param inodes number of files that can be created on the disk; default: almost unlimited */
  make(image: string, sizeMb: number, inodes?: number): void {
    this.#sizeMb = sizeMb;
    mkdirSync(this.#upper);
    mkdirSync(this.root);
    const limit = inodes === undefined ? '' : `,nr_inodes=${inodes}`;
    must('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m,mode=755${limit}`, 'node-disk', this.#upper]);
    for (const name of ['upper', 'work']) mkdirSync(join(this.#upper, name));
    const layers = `lowerdir=${image},upperdir=${this.#upper}/upper,workdir=${this.#upper}/work`;
    must('mount', ['-t', 'overlay', '-o', layers, 'node-root', this.root]);
  }

  /** Writes a file before the machine boots, as an installer does. */
  write(path: string, content: string, mode = 0o644): void {
    const full = join(this.root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, content, { mode });
  }

  /** Fills the disk by shrinking it to its content. */
  async fill(): Promise<void> {
    await waitFor(() => this.#shrink(), { what: 'the disk to be full' });
  }

  free(): void {
    this.#resize(`${this.#sizeMb}m`);
  }

  /**
   * Shrinks the disk to its content. @returns whether it is full; false if the node wrote or deleted something
   * meanwhile
   */
  #shrink(): boolean {
    const { blocks, bfree, bsize } = statfsSync(this.#upper);
    if (bfree > 0) this.#resize(String((blocks - bfree) * bsize));
    return statfsSync(this.#upper).bfree === 0;
  }

  #resize(size: string): void {
    must('mount', ['-o', `remount,size=${size}`, this.#upper]);
  }

  remove(): void {
    for (const folder of [this.root, this.#upper]) must('umount', [folder]);
    rmSync(this.#folder, { recursive: true });
  }
}
