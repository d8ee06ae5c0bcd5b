import { mkdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { EventKind } from '#shared/model/event.ts';
import type { BackupState } from '#shared/model/backup.ts';
import type { EventLog } from '#master/store/event-log.ts';
import { watchFolder } from '#shared/node/watch-folder.ts';
import { backupPlaces } from './places.ts';
import { readBackupState } from './state.ts';

/** Pause after a change before the files are read (ms). */
const SETTLE_MS = 100;

/** Interval at which the master checks whether a backup is overdue (ms). */
const CHECK_MS = 60_000;

/** Actor of the events, because they are consequences of commands on the master's machine. */
const ACTOR = 'local';

export interface BackupWatchOptions {
  readonly dataFolder: string;
  readonly events: Pick<EventLog, 'add' | 'query'>;
  /** Called when the state has changed. */
  readonly changed: () => void;
  /** Returns the wall-clock time (ms since epoch). */
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

/**
 * Observes the backups, which are made by processes of their own. Writes an event when a backup has ended, even if no
 * master was running at that time. Writes an event when a backup is overdue.
 *
 * @returns a function that stops the watch
 */
export function watchBackups({ dataFolder, events, changed, now, onError }: BackupWatchOptions): () => void {
  const { folder, settings, status } = backupPlaces(dataFolder);
  const names = new Set([settings, status].map((path) => basename(path)));
  let before: BackupState | null = null;
  let due: NodeJS.Timeout | null = null;

  async function look(): Promise<void> {
    try {
      const state = await readBackupState(dataFolder, now());
      for (const { kind, message, cause } of happenings(before, state, reportedAt(events)))
        events.add({
          kind,
          subject: { type: 'config', id: 'backup' },
          template: null,
          actor: ACTOR,
          message,
          cause,
        });
      // The age in the text of a problem changes all the time, so it is not compared.
      const isSame = JSON.stringify(comparable(before)) === JSON.stringify(comparable(state));
      before = state;
      if (!isSame) changed();
    } catch (error) {
      onError(error);
    }
  }

  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const onChange = (name: string | null): void => {
    if (name !== null && !names.has(name)) return;
    due ??= setTimeout(() => {
      due = null;
      void look();
    }, SETTLE_MS);
  };
  const watcher = watchFolder(folder, onChange, onError);
  const timer = setInterval(() => void look(), CHECK_MS).unref();
  void look();
  return () => {
    watcher.close();
    clearInterval(timer);
    if (due !== null) clearTimeout(due);
  };
}

interface Happening {
  readonly kind: Extract<EventKind, `backup.${string}`>;
  readonly message: string;
  readonly cause: string;
}

/**
 * Returns the events that follow from a change of the state.
 *
 * @param before the previous state; null if the master has just started and does not know it
 * @param reportedAtMs time of the newest event about the end of a backup (ms since epoch)
 */
export function happenings(
  before: BackupState | null,
  { last, lastComplete, problem }: BackupState,
  reportedAtMs: number,
): Happening[] {
  const ended = last !== null && (before === null ? last.at > reportedAtMs : last.at !== before.last?.at);
  if (ended && last.outcome === 'failed')
    return [{ kind: 'backup.failed', message: 'A backup failed', cause: last.why ?? '' }];
  if (ended && lastComplete !== null) {
    const { id, files, remarks } = lastComplete;
    const cause = [`backup ${id}, ${files} files`, ...remarks].join('; ');
    return [{ kind: 'backup.done', message: 'A backup was made', cause }];
  }
  const isNew = problem !== null && before !== null && before.problem === null;
  if (isNew && last?.outcome !== 'failed')
    return [{ kind: 'backup.overdue', message: 'A backup is overdue', cause: problem }];
  return [];
}

function reportedAt(events: BackupWatchOptions['events']): number {
  const [newest] = events.query({ kinds: ['backup.done', 'backup.failed'], limit: 1 });
  return newest?.at ?? 0;
}

function comparable(state: BackupState | null): unknown {
  return state === null ? null : { ...state, problem: state.problem !== null };
}
