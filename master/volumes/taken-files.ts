import type { PersistentFile } from '#master/templates/revisions/manifest.ts';

/** The persistent files of a service at one moment. */
export interface TakenFiles {
  readonly files: readonly PersistentFile[];
  /** The moment (ms since epoch). */
  readonly at: number;
  /** Whether the server had written its worlds completely at that moment. */
  readonly consistent: boolean;
}

/** Where the contents for a save are put, and which ones are needed. */
export interface SaveTarget {
  /** Empty folder. The content of each hash that is not known is stored in it, under its hash. */
  readonly folder: string;
  /** Reports whether the newest save has the content of a hash. */
  readonly isKnown: (hash: string) => boolean;
  /**
   * Checks that a save of these files may be stored. Call it before any content is transferred.
   *
   * @throws OverworldError VOLUME_QUOTA, SEPARATE_SAVES_LIMIT
   */
  readonly requireAllowed: (files: readonly PersistentFile[]) => Promise<void>;
  /**
   * Writes `bytes` bytes with `work`, if they can be written.
   *
   * @throws OverworldError DISK_RESERVED before `work` is called; errors of `work`
   */
  readonly use: <T>(bytes: number, work: () => Promise<T>) => Promise<T>;
}

/** Puts the persistent files of a service into a target. Resolves to null if there is nothing to save. */
export type TakeFiles = (target: SaveTarget) => Promise<TakenFiles | null>;
