import { mkdir, mkdtemp, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { DiskReserves } from '#master/store/disk-reserve.ts';
import { inExactFolder, removeInside, removeTree } from '#master/templates/pinned-folder.ts';
import { openFileArea, type FileArea } from '../../sftp/jail/file-area.ts';

/** A folder in which one task collects files until they are complete. */
export interface StagingFolder {
  /** Path on the master's disk. */
  readonly path: string;
  /** Path of the same folder in {@link Staging.area}. */
  readonly shown: string;
  /** Returns the names of the files and folders in it. Throws FolderReplaced, errno errors. */
  names(): Promise<readonly string[]>;
}

/**
 * Folders for files that are not complete yet. Users cannot access these folders, but code in the SSH service could
 * replace anything in them with a link. Such links are never followed (docs/design/file-service.md).
 */
export class Staging {
  /** Jail that contains only the staging folders. */
  readonly area: FileArea;
  /** Real path of the folder that contains the staging folders. */
  readonly folder: string;

  private constructor(folder: string, area: FileArea) {
    this.folder = folder;
    this.area = area;
  }

  /**
   * Opens the folder that contains the staging folders, and removes everything that a killed master has left in it.
   * Throws errno errors.
   */
  static async open(folder: string, disks: DiskReserves): Promise<Staging> {
    await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
    const real = join(await realpath(dirname(folder)), basename(folder));
    await removeTree(real);
    // Fails if something has taken the name meanwhile.
    await mkdir(real, { mode: 0o700 });
    return new Staging(real, await openFileArea({ templates: join(real, 'none'), files: real }, disks));
  }

  /**
   * Creates a staging folder, and calls `work` with it. Then removes the folder and what is left in it.
   *
   * @throws FolderReplaced, errno errors, and whatever `work` throws
   */
  async use<T>(work: (folder: StagingFolder) => Promise<T>): Promise<T> {
    const name = basename(await inExactFolder(this.folder, '', (folder) => mkdtemp(join(folder, '.task-'))));
    const path = join(this.folder, name);
    const names = () => inExactFolder(path, '', (folder) => readdir(folder));
    try {
      return await work({ path, shown: `/files/${name}`, names });
    } finally {
      await removeInside(this.folder, name);
    }
  }
}
