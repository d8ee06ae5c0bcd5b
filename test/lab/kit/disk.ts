import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fillDisk } from '../../support/small-disk.ts';
import { must } from './run.ts';

/** A node's disk: the base image below, what the node writes above it, of the size of its disk. */
export class Disk {
  /** The node's root as seen from here. */
  readonly root: string;
  readonly #folder: string;
  readonly #upper: string;
  #empty: (() => Promise<void>) | null = null;

  constructor(folder: string) {
    this.#folder = folder;
    this.#upper = join(folder, 'disk');
    this.root = join(folder, 'root');
  }

  make(image: string, sizeMb: number): void {
    mkdirSync(this.#upper);
    mkdirSync(this.root);
    must('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m,mode=755`, 'node-disk', this.#upper]);
    for (const name of ['upper', 'work']) mkdirSync(join(this.#upper, name));
    const layers = `lowerdir=${image},upperdir=${this.#upper}/upper,workdir=${this.#upper}/work`;
    must('mount', ['-t', 'overlay', '-o', layers, 'node-root', this.root]);
  }

  /** Writes a file as the installer of the machine would, before it boots. */
  write(path: string, content: string, mode = 0o644): void {
    const full = join(this.root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, content, { mode });
  }

  /** Takes every byte that is left. */
  async fill(): Promise<void> {
    this.#empty ??= await fillDisk(this.#upper);
  }

  async free(): Promise<void> {
    await this.#empty?.();
    this.#empty = null;
  }

  remove(): void {
    for (const folder of [this.root, this.#upper]) must('umount', [folder]);
    rmSync(this.#folder, { recursive: true });
  }
}
