import { lstat, mkdir } from 'node:fs/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { FileArea, PlacedPath } from '../sftp/jail/file-area.ts';
import type { Pinned } from '../sftp/jail/pin.ts';
import { formatPath, toBytes } from '../sftp/protocol/virtual-path.ts';
import { forEachLimited } from '#shared/node/for-each-limited.ts';
import { copyOne } from './copy-one.ts';
import { planCopy, type CopyPlan, type CopyRequest, type PlannedFolder } from './copy-plan.ts';
import { codeOf, toFileError, withFileErrors } from '../file-errors.ts';
import { MessageBudget } from './message-budget.ts';
import type { Work } from './tasks.ts';
import { toPath } from '../walk.ts';

/**
 * Number of files of one folder that are copied in parallel. While a small file is opened or closed, others are
 * copied.
 */
const PARALLEL_FILES = 4;

/** Permission bits that the master needs on a folder in order to fill it. */
const FOLDER_BITS = 0o700;

export interface CopyResult {
  readonly files: number;
  readonly bytes: number;
  readonly skipped: string[];
}

/** Summary of a copy that has succeeded or failed. */
export interface CopyReport {
  readonly files: number;
  readonly bytes: number;
  /** Whether the copy created anything. */
  readonly changed: boolean;
  /** Number and size of the planned files; null if the copy failed before planning was complete. */
  readonly planned: { readonly files: number; readonly bytes: number } | null;
}

/**
 * Copies files and folders inside the jail. Each file appears under its name only when it is complete. If the copy
 * fails, the files that were already copied stay.
 *
 * @param onEnd called once, on success and on failure
 * @throws OverworldError FILE_NOT_FOUND, FILE_FORBIDDEN, FILE_EXISTS, DISK_FULL, DISK_RESERVED, TRANSFER_FAILED
 *   (something changed during the copy), TOO_MANY; the signal's abort reason
 */
export async function copy(
  area: FileArea,
  request: CopyRequest & { readonly onEnd: (report: CopyReport) => void },
  work: Work,
): Promise<CopyResult> {
  let copying: Copying | null = null;
  try {
    const plan = await planCopy(area, request, work.signal);
    const [first] = plan.folders;
    if (first !== undefined) {
      const { target } = first;
      await withFileErrors(toPath(target), () => {
        area.reserve(target.area).require(plan.bytes);
        return Promise.resolve();
      });
    }
    work.progress.expect(plan.files, plan.bytes);
    const { from = area, onConflict } = request;
    copying = new Copying({ area, from, plan, onConflict, work });
    return await copying.run();
  } finally {
    request.onEnd(copying?.report ?? { files: 0, bytes: 0, changed: false, planned: null });
  }
}

interface CopyingOptions extends Pick<CopyRequest, 'onConflict'> {
  readonly area: FileArea;
  /** Jail of the sources. */
  readonly from: FileArea;
  readonly plan: CopyPlan;
  readonly work: Work;
}

class Copying {
  readonly #options: CopyingOptions;
  readonly #skipped: string[];
  /**
   * Paths, ending in `/`, of folders that are not created, because an existing object with their name is not a folder
   * and is kept.
   */
  readonly #leftOut: string[] = [];
  #files = 0;
  #bytes = 0;
  #skippedFiles = 0;
  #madeFolders = 0;

  constructor(options: CopyingOptions) {
    this.#options = options;
    this.#skipped = [...options.plan.skipped];
  }

  get report(): CopyReport {
    const { files, bytes } = this.#options.plan;
    const changed = this.#files > 0 || this.#madeFolders > 0;
    return { files: this.#files, bytes: this.#bytes, changed, planned: { files, bytes } };
  }

  async run(): Promise<CopyResult> {
    const { plan, work } = this.#options;
    for (const folder of plan.folders) {
      work.signal.throwIfAborted();
      await withFileErrors(toPath(folder.target), () => this.#fill(folder));
    }
    if (this.#files + this.#skippedFiles !== plan.files) {
      const why = `${this.#files + this.#skippedFiles} of ${plan.files} files arrived`;
      throw new OverworldError('TRANSFER_FAILED', { path: firstPath(plan), why });
    }
    const room = new MessageBudget();
    return {
      files: this.#files,
      bytes: this.#bytes,
      skipped: this.#skipped.filter((path) => room.take(path)),
    };
  }

  async #fill({ target, mode, files }: PlannedFolder): Promise<void> {
    const { area, from, work, onConflict } = this.#options;
    if (this.#isLeftOut(target) || (mode !== null && !(await this.#make(target, mode)))) {
      this.#skippedFiles += files.length;
      return;
    }
    const reserve = area.reserve(target.area);
    const folder = await area.folder(target);
    try {
      await forEachLimited(files, PARALLEL_FILES, async ({ source, name }) => {
        const at: PlacedPath = { area: target.area, names: [...target.names, name] };
        try {
          const replace = onConflict === 'overwrite';
          if (onConflict === 'skip' && (await exists(folder, name))) {
            this.#skip(at);
            return;
          }
          this.#bytes += await copyOne({ area: from, source, folder, name, replace, work, reserve });
          this.#files += 1;
          work.progress.file();
        } catch (error) {
          throw work.signal.aborted ? error : toCopyError(error, { source, at });
        }
      });
    } finally {
      folder.close();
    }
  }

  /**
   * Creates a folder of the copy, or uses an existing folder of the same name.
   *
   * @returns false if an existing object with this name is not a folder and is kept
   */
  async #make(target: PlacedPath, mode: number): Promise<boolean> {
    const { area, onConflict } = this.#options;
    const entry = await area.entry(target);
    try {
      area.reserve(target.area).requireEntry();
      await mkdir(toBytes(entry.path), mode | FOLDER_BITS);
      this.#madeFolders += 1;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST' || onConflict === 'refuse' || onConflict === 'rename') throw error;
      // An existing folder is used. A link does not count as a folder, even if it leads to one.
      if ((await lstat(toBytes(entry.path))).isDirectory()) return true;
      if (onConflict === 'overwrite') throw error;
      this.#leftOut.push(`${formatPath(target)}/`);
      this.#skipped.push(toPath(target));
      return false;
    } finally {
      entry.close();
    }
    return true;
  }

  #skip(at: PlacedPath): void {
    this.#skippedFiles += 1;
    this.#skipped.push(toPath(at));
  }

  #isLeftOut(target: PlacedPath): boolean {
    return this.#leftOut.some((folder) => formatPath(target).startsWith(folder));
  }
}

async function exists(folder: Pinned, name: string): Promise<boolean> {
  try {
    await lstat(toBytes(`${folder.path}/${name}`));
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Converts an error of a copy to an error of the admin API. If something vanished, the new error contains the path of
 * the source, otherwise the path of the destination.
 */
function toCopyError(
  error: unknown,
  { source, at }: { readonly source: PlacedPath; readonly at: PlacedPath },
): unknown {
  return toFileError(error, toPath(codeOf(error) === 'ENOENT' ? source : at));
}

function firstPath({ folders: [first] }: CopyPlan): string {
  return first === undefined ? '/' : toPath(first.target);
}
