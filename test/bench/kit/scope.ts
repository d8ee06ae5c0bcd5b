import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What was started or made so far, taken away in reverse. */
export class Scope {
  #closers: (() => unknown)[] = [];

  add(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** Makes a folder that goes with the scope. @param base a file system to prefer to the temporary one */
  async folder(base: string = tmpdir()): Promise<string> {
    const folder = await mkdtemp(join(base, 'overworld-bench-'));
    this.add(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
    return folder;
  }

  /** Takes everything away, also what comes after something that could not be. @throws the first error */
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
