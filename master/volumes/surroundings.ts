import type { MasterConfig } from '#shared/config/master.ts';
import type { DiskReserve } from '#master/store/disk-reserve.ts';
import type { QuotaClaims } from './quota.ts';

/** What a volume needs of its surroundings. */
export interface VolumeSurroundings {
  readonly reserve: DiskReserve;
  /** Returns the settings `volumes` of the master configuration. */
  readonly settings: () => MasterConfig['volumes'];
  /** Returns the wall-clock time (ms since epoch). */
  readonly now: () => number;
  /** Space of all saves of all volumes, and of those in progress. */
  readonly claims: QuotaClaims;
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
