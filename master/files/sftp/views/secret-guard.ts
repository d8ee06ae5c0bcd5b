import { open } from 'node:fs/promises';
import { MAX_CONFIG_BYTES } from '#master/templates/configs/read-configs.ts';
import { diskCode } from '#master/templates/disk-problem.ts';
import { openWithoutLinks, pathOfOpened } from '#master/templates/links.ts';
import type { SecretFilter } from '../../tasks/fetch/secret-filter.ts';
import { Turns } from './turns.ts';

/** Error codes that mean that nothing exists at a path. */
const MISSING = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

/** Error codes that mean that a path leads to a link or a special file. */
const SPECIAL = new Set(['ELOOP', 'ENXIO']);

/**
 * Guards a secret in the files of a folder that clients read and change. Reads hide only the complete secret. If a
 * client overwrote or cut off a part of the secret, the client could read the rest. So the guard replaces the secret
 * in a file before a client changes the file.
 */
export class SecretGuard {
  readonly #secret: SecretFilter;
  readonly #turns = new Turns();

  constructor(secret: SecretFilter) {
    this.#secret = secret;
  }

  /** Runs a read that hides the secret. No secret is replaced during the read, so it sees no part of a secret. */
  read<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.shared(work);
  }

  /**
   * Replaces the secret in the file at a path, if there is such a file, and then runs a change at this path.
   *
   * A folder, or a file with the secret, is changed while nothing else runs. Otherwise, a client could move a file
   * with the secret to the path of another change, after that change has checked its path.
   *
   * @param path real path. A link at this path or in it is not followed
   * @throws errno errors; errors of `work`
   */
  async change<T>(path: string, work: () => Promise<T>): Promise<T> {
    const done = await this.#turns.shared(async () =>
      (await this.#mustBeAlone(path)) ? null : { result: await work() },
    );
    if (done !== null) return done.result;
    return this.#turns.alone(async () => {
      await this.#mustBeAlone(path, overwrite);
      return work();
    });
  }

  /**
   * Returns whether a change at a path must run alone.
   *
   * @param replace called with the new content if the path leads to a file with the secret
   */
  async #mustBeAlone(
    path: string,
    replace: (path: string, content: Buffer) => Promise<void> = () => Promise.resolve(),
  ): Promise<boolean> {
    let file;
    try {
      file = await openWithoutLinks(path);
    } catch (error) {
      const code = diskCode(error) ?? '';
      if (!MISSING.has(code) && !SPECIAL.has(code)) throw error;
      return SPECIAL.has(code);
    }
    if (file === null) return true;
    try {
      // The master writes the secret only into config files, which are not larger.
      if ((await file.stat()).size > MAX_CONFIG_BYTES) return false;
      const content = await file.readFile();
      const shown = this.#secret.hide(content);
      if (shown === content) return false;
      await replace(pathOfOpened(file, path), shown);
      return true;
    } finally {
      await file.close();
    }
  }
}

/** Writes content of the same length over the content of an existing file. */
async function overwrite(path: string, content: Buffer): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.writeFile(content);
  } finally {
    await file.close();
  }
}
