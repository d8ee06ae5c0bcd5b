import type { MasterConfig } from '#shared/config/master.ts';
import type { DiskReserve } from '#master/store/disk-reserve.ts';

/** What a volume needs of its surroundings. */
export interface VolumeSurroundings {
  readonly reserve: DiskReserve;
  /** Returns the settings `volumes` of the master configuration. */
  readonly settings: () => MasterConfig['volumes'];
  /** Returns the wall-clock time (ms since epoch). */
  readonly now: () => number;
  /** Returns the space that all saves of all volumes take (bytes). */
  readonly totalBytes: () => Promise<number>;
  /** Called after each change. */
  readonly changed: () => void;
  /** Time without a change after which a working copy becomes a save (ms); by default, 10 s. */
  readonly quietMs?: number | undefined;
}

/** Who saves, and why. */
export interface SaveRequest {
  readonly service: string;
  readonly node: string;
  readonly cause: string;
}
