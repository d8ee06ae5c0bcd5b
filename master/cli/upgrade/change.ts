import type { MasterAnswer } from './decide/judge-start.ts';
import type { UpgradeCandidate } from './prepare.ts';
import type { RecordWriter, UpgradeResult } from './record.ts';
import type { KeptFolder } from './store.ts';
import type { UpgradeTarget } from './target.ts';

/** Everything that is needed to replace the installed version. */
export interface Change {
  readonly target: UpgradeTarget;
  /** The installed version, which is installed again if the change fails. */
  readonly kept: KeptFolder;
  readonly candidate: UpgradeCandidate;
  /** Versions that the old and the new program report when they run. */
  readonly programs: { readonly before: string; readonly after: string };
  readonly record: RecordWriter;
}

/** Result of replacing a version. */
export type ChangeResult = Pick<UpgradeResult, 'returned' | 'pauseMs' | 'error' | 'log'>;

/** State of the master before the change. */
export interface MasterBefore {
  /** Whether the master should be running: it is running, or systemd keeps restarting it. */
  readonly wasOn: boolean;
  /** The master's answer about its readiness. Null if the master did not answer. */
  readonly answer: MasterAnswer | null;
}
