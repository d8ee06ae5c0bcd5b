import type { PersistentFile } from '#master/templates/revisions/manifest.ts';

/** The persistent files of a service, as of one moment. */
export interface TakenFiles {
  readonly files: readonly PersistentFile[];
  /** Time at which the files had this content (ms since epoch). */
  readonly at: number;
  /** Whether the server had written its worlds completely at this time. */
  readonly consistent: boolean;
}

/** Receives the contents of a save. */
export interface SaveTarget {
  /** Folder for the contents that {@link missing} returns. Each is stored in it, under its hash. */
  readonly folder: string;
  /**
   * Returns the files whose contents have to be transferred, each content once. Other contents are in the newest
   * save. For the first save, they may be in the template's revision or in a save of another service of the template.
   */
  readonly missing: (files: readonly PersistentFile[]) => Promise<readonly PersistentFile[]>;
  /**
   * Checks that a save of these files may be stored. Call it before any content is transferred.
   *
   * @throws OverworldError VOLUME_QUOTA, SEPARATE_SAVES_LIMIT
   */
  readonly requireAllowed: (files: readonly PersistentFile[]) => Promise<void>;
  /**
   * Calls `work`, which writes `bytes` bytes, if this many bytes can be written.
   *
   * @throws OverworldError DISK_RESERVED before `work` is called; errors of `work`
   */
  readonly use: <T>(bytes: number, work: () => Promise<T>) => Promise<T>;
}

/** Transfers the persistent files of a service to a target. Resolves to null if there is nothing to save. */
export type TakeFiles = (target: SaveTarget) => Promise<TakenFiles | null>;

/**
 * Called after an attempt to make a save, unless there was nothing to save. `stored`: whether the save is on the
 * master's disk.
 */
export type SaveEnded = (result: { readonly stored: boolean }) => Promise<void>;
