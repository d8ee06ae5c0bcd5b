import type { MasterConfig } from '#shared/config/master.ts';
import type { DiskReserve } from '#master/store/disk-reserve.ts';
import type { CopyFolders } from './copy-place.ts';
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
