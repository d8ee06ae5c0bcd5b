import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { SyncComparison, SyncRow } from '#shared/ipc/contract.ts';
import { declined } from '../local/write-consent.ts';
import { isSame, statLocal } from '../transfers/operations/copy-chosen.ts';
import { toLocalError } from '../transfers/remote/file-errors.ts';
import { forEachLimited } from '#shared/node/for-each-limited.ts';
import type { RemoteFiles } from '../transfers/remote/remote-files.ts';
import type { RemoteSession } from '../transfers/remote/remote-session.ts';
import type { ChosenFile } from '../transfers/operations/chosen-file.ts';
import type { Transfers } from '../transfers/queue/transfers.ts';
import { keepComparable } from './comparable.ts';
import { hashLocalSide, readLocalSide, readRemoteSide, type AskManifest } from './sides.ts';
import { compareSides } from './verdict.ts';

/** Lifetime of a comparison (ms), and maximum number of stored comparisons; the oldest is removed first. */
const LIFE_MS = 60 * 60_000;
const MAX_COMPARISONS = 10;

/** Number of parallel delete requests. */
const DELETES_AT_A_TIME = 8;

/** Whether this computer's disks usually treat `Foo` and `foo` as one name. */
const FOLDS_CASE = process.platform === 'win32' || process.platform === 'darwin';

interface Comparison {
  readonly local: string;
  readonly remote: string;
  readonly connection: string;
  readonly rows: ReadonlyMap<string, SyncRow>;
  readonly expiresAt: number;
}

interface SyncsOptions {
  readonly session: RemoteSession;
  readonly transfers: Transfers;
  readonly askManifest: AskManifest;
  /** Moves a file of this computer to the system's trash. */
  readonly trash: (path: string) => Promise<void>;
  /** Returns whether files may be written; asks the person if necessary. `names` are paths below the folder. */
  readonly mayWrite: (folder: string, names: readonly string[]) => Promise<boolean>;
  readonly now?: () => number;
}

/** The rows of a comparison to synchronise, and how. */
interface SyncStart {
  readonly to: 'local' | 'remote';
  /** Paths of the rows to synchronise, relative to the compared folders. */
  readonly paths: readonly string[];
  /** Whether files that exist only on the destination are deleted. */
  readonly deletes: boolean;
}

/** Compares a folder on this computer with a folder on the master, and synchronises them. */
export class Syncs {
  readonly #options: SyncsOptions;
  readonly #comparisons = new Map<string, Comparison>();
  readonly #now: () => number;

  constructor(options: SyncsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Compares two folders and stores the result for an hour.
   *
   * @param local real path of a folder in a place of this computer
   * @param options.content whether to compare hashes; otherwise sizes and modification times are compared
   * @throws OverworldError NOT_CONNECTED, LOCAL_FILE_UNREADABLE, FILE_NOT_FOUND; UNSUPPORTED_BY_MASTER or TOO_MANY if
   *   the master cannot supply hashes
   */
  async compare(
    local: string,
    remote: string,
    { content, task }: { readonly content: boolean; readonly task?: string | undefined },
  ): Promise<SyncComparison> {
    const { session, askManifest } = this.#options;
    const files = await session.files();
    const [here, there] = await Promise.all([
      readLocalSide(local),
      readRemoteSide(files, remote, { ask: askManifest, hashes: content, task }),
    ]);
    keepComparable(here, there, FOLDS_CASE);
    if (content) await hashLocalSide(local, here.files, there.files);
    const rows = compareSides(here.files, there.files);
    const id = randomUUID();
    this.#comparisons.set(id, {
      local,
      remote,
      connection: files.connection,
      rows: new Map(rows.map((row) => [row.path, row])),
      expiresAt: this.#now() + LIFE_MS,
    });
    for (const old of [...this.#comparisons.keys()].slice(0, -MAX_COMPARISONS)) this.#comparisons.delete(old);
    return { comparison: id, rows };
  }

  /**
   * Synchronises rows of a comparison. Copies run in the transfer queue. Deletes are complete when the promise
   * resolves. A copy is skipped if its file has changed on either side since the comparison. The transfer then
   * reports the file. A delete is skipped if the file to delete has changed, or if the other side has a file of this
   * name now. This method then fails with FILE_CHANGED after all other deletes.
   *
   * @returns number of files that are being copied, and that were deleted
   * @throws OverworldError PLAN_EXPIRED, NOT_CONNECTED if another master is in use, FILE_CHANGED,
   *   LOCAL_WRITE_DECLINED, LOCAL_FILE_UNREADABLE if a file cannot be moved to the trash
   */
  async start(id: string, { to, paths, deletes }: SyncStart): Promise<{ copied: number; deleted: number }> {
    const comparison = this.#comparisons.get(id);
    if (comparison === undefined || comparison.expiresAt <= this.#now()) {
      throw new OverworldError('PLAN_EXPIRED', { plan: id });
    }
    const files = await this.#options.session.files();
    if (files.connection !== comparison.connection) {
      throw new OverworldError('NOT_CONNECTED', { status: 'another master is in use' });
    }
    const rows = [...new Set(paths)].flatMap((path) => {
      const row = comparison.rows.get(path);
      return row === undefined || row.verdict === 'same' ? [] : [row];
    });
    if (
      to === 'local' &&
      !(await this.#options.mayWrite(
        comparison.local,
        rows.map(({ path }) => path),
      ))
    ) {
      throw declined(comparison.local);
    }
    const copies = rows.flatMap((row) => toChosen(row, to));
    const doomed = deletes ? rows.filter((row) => (to === 'remote' ? row.local : row.remote) === null) : [];
    if (copies.length > 0) await this.#copy(comparison, to, copies);
    const remove =
      to === 'remote' ? this.#deleteThere(files, comparison) : this.#trashHere(files, comparison);
    const changed: string[] = [];
    await forEachLimited(doomed, to === 'remote' ? DELETES_AT_A_TIME : 1, async (row) => {
      if (!(await remove(row))) changed.push(row.path);
    });
    const [first] = changed;
    if (first !== undefined) throw new OverworldError('FILE_CHANGED', { path: first });
    return { copied: copies.length, deleted: doomed.length };
  }

  /** Removes the comparisons with the master of a connection. */
  forget(connection: string): void {
    for (const [id, one] of this.#comparisons)
      if (one.connection === connection) this.#comparisons.delete(id);
  }

  async #copy(
    { local, remote, connection }: Comparison,
    to: SyncStart['to'],
    copies: readonly ChosenFile[],
  ): Promise<void> {
    const upload = to === 'remote';
    await this.#options.transfers.startChosen(
      {
        direction: upload ? 'upload' : 'download',
        move: false,
        name: basename(upload ? local : remote),
        localPath: local,
        remotePath: remote,
        connection,
      },
      copies,
    );
  }

  /**
   * Returns a function that deletes a row's file on the master. It returns false if the file has changed, or if this
   * computer has a file of this name now.
   */
  #deleteThere(files: RemoteFiles, { local, remote }: Comparison) {
    return async ({ path, remote: seen }: SyncRow): Promise<boolean> => {
      if ((await statLocal(toLocal(local, path))) !== null) return false;
      const full = `${remote}/${path}`;
      const now = await files.find(full);
      if (now === null) return true;
      if (now.kind !== 'file' || !isSame(now, seen)) return false;
      await files.deleteFile(full);
      return true;
    };
  }

  /**
   * Returns a function that moves a row's file on this computer to the trash. It returns false if the file has
   * changed, or if the master has a file of this name now.
   */
  #trashHere(files: RemoteFiles, { local, remote }: Comparison) {
    return async ({ path, local: seen }: SyncRow): Promise<boolean> => {
      if ((await files.find(`${remote}/${path}`)) !== null) return false;
      const full = toLocal(local, path);
      const now = await statLocal(full);
      if (now === null) return true;
      if (!isSame(now, seen)) return false;
      await this.#options.trash(full).catch((error: unknown) => {
        throw toLocalError(error, full);
      });
      return true;
    };
  }
}

/** Returns the path on this computer of a file in a compared folder. */
function toLocal(folder: string, path: string): string {
  return join(folder, ...path.split('/'));
}

/** Returns the file to copy for a row, or an empty list if the source side has no file. */
function toChosen({ path, local, remote }: SyncRow, to: SyncStart['to']): ChosenFile[] {
  const [source, target] = to === 'remote' ? [local, remote] : [remote, local];
  return source === null ? [] : [{ path, source, target }];
}
