import type { PersistentFile } from '#master/templates/revisions/manifest.ts';

/** The persistent files of a service, as of one moment. */
export interface TakenFiles {
  readonly files: readonly PersistentFile[];
  /** Time at which the files had this content (ms since epoch). */
  readonly at: number;
  /** Whether the server had written its worlds completely at this time. */
  readonly consistent: boolean;
}

/** Receives the contents of a save: the folder for them, and the check of which ones are needed. */
export interface SaveTarget {
  /**
   * Folder for the contents, empty at first. Each content whose hash is not known is stored in it, under its hash.
   */
  readonly folder: string;
  /** Reports whether the newest save already has the content with this hash. */
  readonly isKnown: (hash: string) => boolean;
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
