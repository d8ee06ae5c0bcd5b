import { createHash } from 'node:crypto';
import { DefaultFileProblem, openPlain } from './default-files.ts';

/** State of a shared file at the time of reading. */
export interface DefaultFileFacts {
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  /** sha256 of the content in hex. */
  readonly hash: string;
}

/**
 * Maximum number of cached files, more than any real network has. If there are more, the cache is cleared, which
 * only costs time.
 */
const MAX_KNOWN = 10_000;

/** Reads shared files and caches the result until they change. */
export class DefaultFileReader {
  readonly #known = new Map<string, { readonly stamp: string; readonly facts: DefaultFileFacts }>();

  /**
   * Returns the state of a shared file.
   *
   * @throws DefaultFileProblem if the file cannot be read, is not a regular file, or is being written to
   */
  async read(path: string): Promise<DefaultFileFacts> {
    const file = await openPlain(path);
    try {
      const before = await file.stat({ bigint: true });
      const stamp = [before.size, before.mtimeNs, before.ctimeNs, before.ino].join(':');
      const known = this.#known.get(path);
      if (known?.stamp === stamp) return known.facts;
      const hash = createHash('sha256');
      for await (const chunk of file.createReadStream({ autoClose: false, highWaterMark: 1 << 20 })) {
        // A stream without an encoding yields buffers.
        hash.update(chunk as Buffer);
      }
      const after = await file.stat({ bigint: true });
      if (after.size !== before.size || after.mtimeNs !== before.mtimeNs) {
        throw new DefaultFileProblem('changing', `default service file ${path} is being written to`);
      }
      const facts = {
        size: Number(before.size),
        mode: Number(before.mode & 0o777n),
        hash: hash.digest('hex'),
      };
      if (this.#known.size >= MAX_KNOWN) this.#known.clear();
      this.#known.set(path, { stamp, facts });
      return facts;
    } finally {
      await file.close();
    }
  }
}
