import { z } from 'zod';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { BackupRetention } from '../settings.ts';
import { ResticFailed, type Restic, type ResticOptions } from './restic.ts';

/** Tag of the backups that Overworld makes. Snapshots of the repository without this tag are not touched. */
const TAG = 'overworld';

/** Time without renewal after which restic regards a lock as left over (ms). A running restic renews it every 5 min. */
const LOCK_MS = 30 * 60_000;

const lockSchema = z.object({ time: z.string() });

/** Text that restic prints if it cannot read the configuration of a repository. */
const NO_REPOSITORY = 'Is there a repository at the following location?';

const snapshotSchema = z.object({
  id: z.string(),
  short_id: z.string(),
  time: z.string(),
  hostname: z.string(),
});

/** A complete backup in the repository. */
export interface StoredBackup {
  readonly id: string;
  /** When the backup was made (ms since epoch). */
  readonly at: number;
  /** Name of the network that was backed up. It is derived from the network's id. */
  readonly network: string;
}

const messageSchema = z.discriminatedUnion('message_type', [
  z.object({ message_type: z.literal('status'), percent_done: z.number().default(0) }),
  z.object({
    message_type: z.literal('summary'),
    snapshot_id: z.string(),
    total_files_processed: z.int(),
    total_bytes_processed: z.number(),
    data_added: z.number(),
  }),
]);

/** The summary that restic prints after it has made a backup. */
export type BackupSummary = Extract<z.infer<typeof messageSchema>, { message_type: 'summary' }>;

/**
 * Returns the name under which the backups of a network are stored. The name stays the same when the master moves to
 * another machine.
 */
export function networkName(cluster: string): string {
  return `overworld-${cluster.slice(0, 8)}`;
}

/**
 * Opens the repository. Success means that its address, password and login are correct. Works even if another program
 * has locked the repository.
 *
 * @throws ResticFailed, also if there is no repository; OverworldError RESTIC_MISSING
 */
export async function openRepository(restic: Restic, signal: AbortSignal | undefined): Promise<'exists'> {
  await restic.run(['cat', 'config', '--quiet', '--no-lock'], { signal });
  return 'exists';
}

/**
 * Creates the repository if it does not exist. Returns `created` or `exists`. @throws ResticFailed; OverworldError
 * RESTIC_MISSING
 */
export async function ensureRepository(
  restic: Restic,
  signal: AbortSignal | undefined,
): Promise<'created' | 'exists'> {
  try {
    return await openRepository(restic, signal);
  } catch (error) {
    if (!(error instanceof ResticFailed) || !isNoRepository(error)) throw error;
  }
  await restic.run(['init', '--quiet'], { signal });
  return 'created';
}

/**
 * Reports whether restic failed because there is no repository. Since version 0.17, restic has an exit code for this.
 * Earlier versions print the same error if the repository cannot be reached.
 */
function isNoRepository({ code, why }: ResticFailed): boolean {
  return code === 10 || why.includes(NO_REPOSITORY);
}

/** Lists the complete backups, newest first. @throws ResticFailed; OverworldError RESTIC_MISSING */
export async function listBackups(restic: Restic): Promise<StoredBackup[]> {
  const text = await restic.run(['snapshots', '--json', '--no-lock', '--tag', TAG]);
  const snapshots = z.array(snapshotSchema).nullable().parse(JSON.parse(text)) ?? [];
  return snapshots
    .map(({ short_id: id, time, hostname: network }) => ({ id, network, at: Date.parse(time) }))
    .sort((a, b) => b.at - a.at);
}

/**
 * Backs up a folder. Its files have new inodes and change times in each backup, so restic recognises unchanged files
 * only by their size and modification time. If a file could not be read, the incomplete backup is removed again.
 *
 * @param options.linked paths in the folder that lead through a symbolic link to another folder. restic stores other
 *   links as links, but for these paths, it stores the content of that folder
 * @param options.onPercent receives the progress, 0 to 100
 * @throws ResticFailed, also if a file could not be read; OverworldError RESTIC_MISSING
 */
export async function storeBackup(
  restic: Restic,
  {
    folder,
    linked,
    network,
    onPercent,
    signal,
  }: {
    readonly folder: string;
    readonly linked: readonly string[];
    readonly network: string;
    readonly onPercent: (percent: number) => void;
    readonly signal: AbortSignal | undefined;
  },
): Promise<BackupSummary> {
  const found: { summary: BackupSummary | null } = { summary: null };
  const options: ResticOptions = {
    cwd: folder,
    signal,
    onLine(line) {
      const message = parseMessage(line);
      if (message?.message_type === 'status') onPercent(Math.floor(message.percent_done * 100));
      else if (message?.message_type === 'summary') found.summary = message;
    },
  };
  const args = ['--json', '--host', network, '--tag', TAG, '--ignore-inode', '--ignore-ctime'];
  try {
    // restic runs in the folder, so that the content of the folder is at the root of the snapshot.
    await restic.run(['backup', ...args, '.', ...linked], options);
  } catch (error) {
    // If restic cannot read some files, it stores a backup without them. This backup is removed.
    await forget(restic, found.summary?.snapshot_id);
    throw error;
  }
  if (found.summary === null) throw new ResticFailed(0, 'restic did not say what it stored');
  return found.summary;
}

/**
 * Removes those backups of a network that its retention does not keep. Also removes the data that only these backups
 * used. Removes nothing if the retention has no rule.
 *
 * @throws ResticFailed; OverworldError RESTIC_MISSING
 */
export async function applyRetention(
  restic: Restic,
  {
    network,
    retention,
    signal,
  }: {
    readonly network: string;
    readonly retention: BackupRetention;
    readonly signal: AbortSignal | undefined;
  },
): Promise<void> {
  const keep = Object.entries(retention).filter(([, count]) => count > 0);
  // Without any rule, all backups are kept.
  if (keep.length === 0) return;
  const rules = keep.flatMap(([rule, count]) => [`--keep-${rule}`, String(count)]);
  const which = ['--host', network, '--tag', TAG, '--group-by', 'host'];
  await restic.run(['forget', '--quiet', '--prune', ...which, ...rules], { signal });
}

/**
 * Checks the structure of the repository. With `readData`, also reads and verifies all data, which means that all
 * data is transferred.
 *
 * @throws ResticFailed if there is an error; OverworldError RESTIC_MISSING
 */
export async function checkRepository(restic: Restic, readData: boolean): Promise<void> {
  await restic.run(['check', '--quiet', ...(readData ? ['--read-data'] : [])]);
}

/**
 * Removes the locks in a repository if none of them was renewed for 30 minutes. A running restic renews its locks, so
 * these locks are left over from processes that were killed. `restic unlock` alone would also remove newer locks:
 * another machine with the same host name may use the repository, and restic would take its locks for those of exited
 * processes of this machine. Old backups would then be removed while the other machine makes or restores a backup,
 * which would lose data.
 *
 * @param nowMs ms since epoch
 * @throws ResticFailed; OverworldError RESTIC_MISSING
 */
export async function removeOldLocks(restic: Restic, nowMs: number): Promise<void> {
  const listed = await restic.run(['list', 'locks', '--quiet', '--no-lock']);
  const ids = listed.split('\n').filter((id) => id !== '');
  for (const id of ids) {
    const text = await restic.run(['cat', 'lock', id, '--quiet', '--no-lock']).catch(() => null);
    // If a lock no longer exists, a running restic has just released it or replaced it by a newer one.
    if (text === null || nowMs - Date.parse(lockSchema.parse(JSON.parse(text)).time) < LOCK_MS) return;
  }
  // restic removes locks that were not renewed for 30 minutes, even those of other machines.
  if (ids.length > 0) await restic.run(['unlock', '--quiet']);
}

/**
 * Writes the files of a backup to a folder. Does not verify them.
 *
 * @throws ResticFailed; OverworldError RESTIC_MISSING
 */
export async function fetchBackup(
  restic: Restic,
  { id }: Pick<StoredBackup, 'id'>,
  options: { readonly folder: string; readonly signal: AbortSignal | undefined },
): Promise<void> {
  await restic.run(['restore', '--quiet', id, '--target', options.folder], { signal: options.signal });
}

/**
 * Converts a {@link ResticFailed} to BACKUP_REPOSITORY_LOCKED or BACKUP_REPOSITORY_FAILED, which say what to do.
 * Returns any other error unchanged.
 */
export function toRepositoryError(error: unknown, repository: string): unknown {
  if (!(error instanceof ResticFailed)) return error;
  const code = error.isLocked ? 'BACKUP_REPOSITORY_LOCKED' : 'BACKUP_REPOSITORY_FAILED';
  return new OverworldError(code, { repository, why: reasonOf(error) }, error);
}

/**
 * Returns the text that restic printed, without its question about the address, because the error names the address
 * itself.
 */
function reasonOf({ why }: ResticFailed): string {
  const [reason = ''] = why.split(` ${NO_REPOSITORY}`);
  return reason.replace(/^Fatal: |\.$/g, '');
}

async function forget(restic: Restic, snapshot: string | undefined): Promise<void> {
  if (snapshot !== undefined) await restic.run(['forget', '--quiet', snapshot]);
}

function parseMessage(line: string): z.infer<typeof messageSchema> | null {
  try {
    return messageSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
