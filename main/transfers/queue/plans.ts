import { randomUUID } from 'node:crypto';
import { access, constants, lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { TransferPlan } from '#shared/ipc/contract.ts';
import { listFolder } from '../local/list-folder.ts';
import type { Decision } from './conflicts.ts';
import { nameOf } from '../operations/file-copy.ts';
import type { ExistingFile } from '../operations/conflict-policy.ts';
import { toLocalError } from '../remote/file-errors.ts';
import { freeName, isLocalName, requirePlainName } from '../remote/names.ts';
import { partNameOf } from '../operations/part.ts';
import type { RemoteFiles } from '../remote/remote-files.ts';
import { joinRemote } from '../remote/remote-path.ts';
import type { NewTransfer } from './transfer-queue.ts';
import { walkLocal, walkRemote, type Tree } from '../operations/tree.ts';

/** Time after which a plan expires if it was not started (ms). */
const PLAN_LIFE_MS = 15 * 60_000;

/** Maximum number of plans. The oldest is removed first. */
const MAX_PLANS = 50;

/** One file or folder to copy. `source` is its path on the side from which it is copied. */
interface PlannedItem {
  readonly name: string;
  readonly kind: 'file' | 'folder';
  readonly source: string;
  readonly files: number;
  readonly bytes: number;
  /** Time of the last modification (ms since epoch). For a folder, the time of the newest file in it. */
  readonly modifiedAt: number;
  /**
   * Paths of the hidden files in a folder to download, relative to the destination folder. Contains at most {@link
   * MAX_HIDDEN} paths. Empty for a file and for an upload.
   */
  readonly hidden: readonly string[];
}

/**
 * A prepared transfer. `folder` is the destination folder: on the master for an upload, otherwise on this computer.
 */
export interface PlannedTransfer {
  readonly direction: 'upload' | 'download';
  /** Whether the source is removed after the copy. */
  readonly move: boolean;
  readonly folder: string;
  /** Id of the connection profile of the master with which the plan was prepared. */
  readonly connection: string;
  readonly items: readonly PlannedItem[];
}

/** An entry on this computer to upload, with its name at the destination. */
export interface LocalSource {
  readonly path: string;
  readonly name: string;
}

/** An entry that the destination folder already contains. */
interface Taken extends ExistingFile {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

interface PlansOptions {
  /** Identifies this app's installation, for the names of partial files. */
  readonly origin: string;
  readonly now?: () => number;
}

/** Result for the window if a person has cancelled the dialog, so that there is no plan. */
export const NO_PLAN: TransferPlan = { plan: null, files: 0, bytes: 0, conflicts: [] };

/**
 * Prepares transfers and stores them until they start. The window starts a plan by its random id and passes no
 * paths. The paths on this computer are checked when the plan is created (local/places.ts).
 */
export class Plans {
  readonly #plans = new Map<string, { readonly plan: PlannedTransfer; readonly expiresAt: number }>();
  readonly #origin: string;
  readonly #now: () => number;

  constructor({ origin, now = Date.now }: PlansOptions) {
    this.#origin = origin;
    this.#now = now;
  }

  /**
   * Prepares the upload of files and folders of this computer, and keeps the plan for 15 minutes. If a source itself
   * is a link, follows the link. Does not follow links inside folders.
   *
   * @param to.folder destination on the master; with `move`, the sources are removed after the copy, so none may be a
   *   link
   * @throws OverworldError LOCAL_FILE_UNREADABLE, FILE_NAME_INVALID, FILE_FORBIDDEN, or the master's error if it
   *   refuses to list the folder
   */
  async planUpload(
    files: RemoteFiles,
    { folder, move = false }: { readonly folder: string; readonly move?: boolean },
    sources: readonly LocalSource[],
  ): Promise<TransferPlan> {
    const names = new Set<string>();
    const items: PlannedItem[] = [];
    for (const { path, name } of sources) {
      if (move) await requireMovable(path);
      const source = await realpath(path).catch((error: unknown) => {
        throw toLocalError(error, path);
      });
      // Two sources of the same name from different folders are both uploaded.
      const own = freeName(requirePlainName(name), names);
      names.add(own);
      items.push({ name: own, source, hidden: [], ...measure(await walkLocal(source)) });
    }
    const { connection } = files;
    const plan: PlannedTransfer = { direction: 'upload', move, folder, connection, items };
    return this.#keep(plan, await files.listAll(folder));
  }

  /**
   * Prepares the download of files and folders of the master into a folder of this computer, and keeps the plan for
   * 15 minutes.
   *
   * @throws OverworldError FILE_NAME_INVALID if this computer does not allow a name, FILE_NOT_FOUND,
   *   LOCAL_FILE_UNREADABLE
   */
  async planDownload(
    files: RemoteFiles,
    paths: readonly string[],
    { folder, move = false }: { readonly folder: string; readonly move?: boolean },
  ): Promise<TransferPlan> {
    const items: PlannedItem[] = [];
    for (const source of new Set(paths)) {
      const name = nameOf(source);
      if (!isLocalName(name, process.platform)) throw new OverworldError('FILE_NAME_INVALID', { name });
      const tree = await walkRemote(files, source);
      items.push({ name, source, hidden: hiddenIn(name, tree), ...measure(tree) });
    }
    const { connection } = files;
    const plan: PlannedTransfer = { direction: 'download', move, folder, connection, items };
    return this.#keep(plan, await listFolder(folder, folder));
  }

  /**
   * Returns the paths that a download would write, relative to its destination folder. These are the names of the
   * plan's files and folders. If a folder of the same name exists, they include the hidden files in the folder. Empty
   * if the plan is unknown.
   */
  writesOf({ plan: id, conflicts }: TransferPlan): string[] {
    const plan = id === null ? undefined : this.#plans.get(id)?.plan;
    const merged = new Set(conflicts.map(({ name }) => name));
    return (plan?.items ?? []).flatMap(({ name, hidden }) => [name, ...(merged.has(name) ? hidden : [])]);
  }

  /**
   * Removes a plan and returns it, so that it can start only once.
   *
   * @throws OverworldError PLAN_EXPIRED if the plan is unknown or too old
   */
  take(id: string): PlannedTransfer {
    const kept = this.#plans.get(id);
    this.#plans.delete(id);
    if (kept === undefined || kept.expiresAt <= this.#now()) {
      throw new OverworldError('PLAN_EXPIRED', { plan: id });
    }
    return kept.plan;
  }

  /** Removes all plans that were prepared with a connection profile, because it may lead to another master now. */
  forget(connection: string): void {
    for (const [id, { plan }] of this.#plans) if (plan.connection === connection) this.#plans.delete(id);
  }

  #keep(plan: PlannedTransfer, entries: readonly Taken[]): TransferPlan {
    const id = randomUUID();
    this.#plans.set(id, { plan, expiresAt: this.#now() + PLAN_LIFE_MS });
    for (const old of [...this.#plans.keys()].slice(0, -MAX_PLANS)) this.#plans.delete(old);
    const taken = new Map(entries.map((entry) => [entry.name, entry]));
    return {
      plan: id,
      files: sum(plan.items, 'files'),
      bytes: sum(plan.items, 'bytes'),
      conflicts: plan.items.flatMap((item) => {
        const target = taken.get(item.name);
        return target === undefined ? [] : [this.#conflict(plan, item, { target, taken })];
      }),
    };
  }

  #conflict(
    { direction, connection }: PlannedTransfer,
    { name, kind, source, files, bytes, modifiedAt }: PlannedItem,
    { target, taken }: { readonly target: Taken; readonly taken: ReadonlyMap<string, Taken> },
  ): TransferPlan['conflicts'][number] {
    const origin = direction === 'upload' ? this.#origin : connection;
    const part = partNameOf({ origin, path: source, bytes, modifiedAt }, name);
    return {
      name,
      kind,
      source: { bytes, files, modifiedAt },
      target: {
        kind: target.kind === 'link' ? 'other' : target.kind,
        bytes: target.kind === 'folder' ? 0 : target.bytes,
        modifiedAt: target.modifiedAt,
      },
      resumable: kind === 'file' && taken.has(part),
    };
  }
}

/**
 * Returns the transfer of the file or folder that has this name in the plan.
 *
 * @throws Error if the plan has no item of this name
 */
export function toTransfer(
  { direction, move, connection, folder, items }: PlannedTransfer,
  { name, target }: Pick<Decision, 'name' | 'target'>,
): Omit<NewTransfer, 'id'> {
  const item = items.find((planned) => planned.name === name);
  if (item === undefined) throw new Error(`${name} is not in the plan`);
  const upload = direction === 'upload';
  return {
    direction,
    move,
    connection,
    name: target,
    files: item.files,
    bytes: item.bytes,
    localPath: upload ? item.source : join(folder, target),
    remotePath: upload ? joinRemote(folder, target) : item.source,
  };
}

/** Converts paths to sources that keep their own file names at the destination. */
export function toSources(localPaths: readonly string[]): LocalSource[] {
  return localPaths.map((path) => ({ path, name: basename(path) }));
}

/**
 * Checks that an entry of this computer can be moved to the master. The entry must not be a link, because the link's
 * target is elsewhere. The entry's parent folder must be writable.
 *
 * @throws OverworldError FILE_FORBIDDEN for a link, LOCAL_FILE_UNREADABLE
 */
async function requireMovable(path: string): Promise<void> {
  try {
    if ((await lstat(path)).isSymbolicLink()) {
      const why = 'it is a link; copy it, or move its target';
      throw new OverworldError('FILE_FORBIDDEN', { path, why });
    }
    await access(dirname(path), constants.W_OK);
  } catch (error) {
    throw toLocalError(error, path);
  }
}

/** Maximum number of hidden files per planned folder. The question to the person would not show more of them. */
const MAX_HIDDEN = 100;

function hiddenIn(name: string, { files }: Tree): string[] {
  return files
    .filter(({ path }) => path.some((part) => part.startsWith('.')))
    .slice(0, MAX_HIDDEN)
    .map(({ path }) => [name, ...path].join('/'));
}

function measure({ root, files }: Tree): Pick<PlannedItem, 'kind' | 'files' | 'bytes' | 'modifiedAt'> {
  const modifiedAt = files.reduce((newest, file) => Math.max(newest, file.modifiedAt), 0);
  return { kind: root, files: files.length, bytes: sum(files, 'bytes'), modifiedAt };
}

function sum<K extends string>(items: readonly Readonly<Record<K, number>>[], key: K): number {
  return items.reduce((total, item) => total + item[key], 0);
}
