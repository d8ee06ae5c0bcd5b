import { existsSync, rmSync } from 'node:fs';

/**
 * A mark in the data folder. It means that the folder was just moved to this machine, which may not be able to reach
 * the nodes. The mark survives restarts of the master until it is cleared.
 */
export class MoveMark {
  readonly #path: string;
  #isSet: boolean;

  constructor(path: string) {
    this.#path = path;
    this.#isSet = existsSync(path);
  }

  get isSet(): boolean {
    return this.#isSet;
  }

  /** Removes the mark. Does nothing if there is none. */
  clear(): void {
    if (!this.#isSet) return;
    this.#isSet = false;
    rmSync(this.#path, { force: true });
  }
}
