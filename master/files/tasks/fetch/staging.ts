import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { DiskReserves } from '#master/store/disk-reserve.ts';
import { openFileArea, type FileArea } from '../../sftp/jail/file-area.ts';

/** A folder in which one task collects files until they are complete. */
export interface StagingFolder {
  /** Path on the master's disk. */
  readonly path: string;
  /** Path of the same folder in {@link Staging.area}. */
  readonly shown: string;
}

/**
 * Folders for files that are not complete yet. Users cannot access these folders, so they cannot replace anything in
 * them with a link.
 */
export class Staging {
  /** Jail that contains only the staging folders. */
  readonly area: FileArea;
  /** Path of the folder that contains the staging folders. */
  readonly folder: string;

  private constructor(folder: string, area: FileArea) {
    this.folder = folder;
    this.area = area;
  }

  /**
   * Opens the folder that contains the staging folders, and removes what a killed master has left in it. Throws errno
   * errors.
   */
  static async open(folder: string, disks: DiskReserves): Promise<Staging> {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return new Staging(folder, await openFileArea({ templates: join(folder, 'none'), files: folder }, disks));
  }

  /**
   * Creates a staging folder, and calls `work` with it. Then removes the folder and what is left in it. Throws errno
   * errors, and whatever `work` throws.
   */
  async use<T>(work: (folder: StagingFolder) => Promise<T>): Promise<T> {
    const path = await mkdtemp(join(this.folder, 'task-'));
    try {
      return await work({ path, shown: `/files/${basename(path)}` });
    } finally {
      await rm(path, { recursive: true, force: true });
    }
  }
}
