import { existsSync, rmSync } from 'node:fs';

/**
 * Mark that the data folder was just moved to this machine, from which it is not certain that the nodes can be reached. It
 * survives restarts until it is cleared.
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
