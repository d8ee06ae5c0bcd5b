import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Collects processes, folders and other things that were started or created, and removes them in reverse order. */
export class Scope {
  #closers: (() => unknown)[] = [];

  add(close: () => unknown): void {
    this.#closers.push(close);
  }

  /**
   * Creates a folder that is removed with the scope.
   *
   * @param base parent folder; default: the system's folder for temporary files
   */
  async folder(base: string = tmpdir()): Promise<string> {
    const folder = await mkdtemp(join(base, 'overworld-bench-'));
    this.add(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
    return folder;
  }

  /**
   * Removes everything, even if a step fails.
   *
   * @throws the first error
   */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      try {
        await close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
