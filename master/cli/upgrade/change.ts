import type { MasterAnswer } from './decide/judge-start.ts';
import type { UpgradeCandidate } from './prepare.ts';
import type { RecordWriter, UpgradeResult } from './record.ts';
import type { KeptFolder } from './store.ts';
import type { UpgradeTarget } from './target.ts';

/** Everything that the replacement of a version needs. */
export interface Change {
  readonly target: UpgradeTarget;
  /** The installed version, to which a failed change returns. */
  readonly kept: KeptFolder;
  readonly candidate: UpgradeCandidate;
  /** Versions that the old and the new program answer. */
  readonly programs: { readonly before: string; readonly after: string };
  readonly record: RecordWriter;
}

/** How the replacement of a version has ended. */
export type ChangeResult = Pick<UpgradeResult, 'returned' | 'pauseMs' | 'error' | 'log'>;

/** The master as it was before the change. */
export interface MasterBefore {
  /** Whether it is to run: it runs, or systemd keeps restarting it. */
  readonly wasOn: boolean;
  /** What it answered. Null if it did not serve. */
  readonly answer: MasterAnswer | null;
}
