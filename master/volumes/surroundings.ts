import type { MasterConfig } from '#shared/config/master.ts';
import type { DiskReserve } from '#master/store/disk-reserve.ts';
import type { CopyFolders } from './copies/copy-place.ts';
import type { VolumeId } from '#shared/model/volume.ts';
import type { StoredFiles } from './known-contents.ts';
import type { QuotaClaims } from './quota.ts';

/** Functions and objects that a volume needs from the rest of the master. */
export interface VolumeSurroundings {
  readonly reserve: DiskReserve;
  /** Folders for working copies. */
  readonly copies: CopyFolders;
  /** Returns the settings `volumes` of the master configuration. */
  readonly settings: () => MasterConfig['volumes'];
  /** Returns the wall-clock time (ms since epoch). */
  readonly now: () => number;
  /** Space of all saves of all volumes, and of those in progress. */
  readonly claims: QuotaClaims;
  /**
   * Opens stored files that may have the same contents as files of a volume: the files of its template's newest
   * revision, and the newest saves of the template's other volumes.
   */
  readonly storedFilesOf: (volume: VolumeId) => AsyncIterable<StoredFiles>;
  /** Called after each change. */
  readonly changed: () => void;
  /** Time without a change, after which a working copy becomes a save (ms); default 10 s. */
  readonly quietMs?: number | undefined;
}

/** The service and the node whose data is saved, and the reason for the save. */
export interface SaveRequest {
  readonly service: string;
  readonly node: string;
  readonly cause: string;
}

/** A save that failed. */
export interface FailedSave extends SaveRequest {
  /** Whether the service had exited. The next attempt to save its files is then delayed. */
  readonly exited: boolean;
}
