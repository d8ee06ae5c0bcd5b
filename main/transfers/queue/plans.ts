import { randomUUID } from 'node:crypto';
import { access, constants, lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { TransferPlan } from '#shared/ipc/contract.ts';
import { listFolder } from '../../local/list-folder.ts';
import type { Decision } from './conflicts.ts';
import { nameOf } from '../operations/file-copy.ts';
import type { ExistingFile } from '../operations/file-choice.ts';
import { toLocalError } from '../remote/file-errors.ts';
import { freeName, isLocalName, requirePlainName } from '../remote/names.ts';
import { partNameOf } from '../operations/part.ts';
import type { RemoteFiles } from '../remote/remote-files.ts';
import { joinRemote } from '../remote/remote-path.ts';
import type { NewTransfer } from './transfer-queue.ts';
import { walkLocal, walkRemote, type Tree } from '../operations/tree.ts';

/** How long a plan waits for its decision, in ms. */
const PLAN_LIFE_MS = 15 * 60_000;

/** Plans kept at the same time; the oldest goes first. */
const MAX_PLANS = 50;

/** One file or folder to be copied. `source` is a path on the side it comes from. */
interface PlannedItem {
  readonly name: string;
  readonly kind: 'file' | 'folder';
  readonly source: string;
  readonly files: number;
  readonly bytes: number;
  /** Of a folder: of the newest file in it. Ms since epoch. */
  readonly modifiedAt: number;
  /** Paths of hidden files below it, relative to the destination; some of them where there are many. */
  readonly hidden: readonly string[];
}

/** A transfer that was prepared. `folder` is the destination, on the other side. */
export interface Plan {
  readonly direction: 'upload' | 'download';
  /** The source is taken away when all has arrived. */
  readonly move: boolean;
  readonly folder: string;
  /** Profile of the master it was prepared with. */
  readonly connection: string;
  readonly items: readonly PlannedItem[];
}

/** A thing on this computer to upload, with the name it gets. */
export interface LocalSource {
  readonly path: string;
  readonly name: string;
}

/** An entry of the destination folder. */
interface Taken extends ExistingFile {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

interface PlansOptions {
  /** Names this app's installation, for the names of parts. */
  readonly origin: string;
  readonly now?: () => number;
}

/** The plan of somebody who closed the dialog. */
export const NO_PLAN: TransferPlan = { plan: null, files: 0, bytes: 0, conflicts: [] };

/**
 * Prepares transfers and keeps them until they are begun. The window only ever holds a plan's random id: what it may
 * name on this computer was checked when the plan was made (local/places.ts).
 */
export class Plans {
  readonly #plans = new Map<string, { readonly plan: Plan; readonly expiresAt: number }>();
  readonly #origin: string;
  readonly #now: () => number;

  constructor({ origin, now = Date.now }: PlansOptions) {
    this.#origin = origin;
    this.#now = now;
  }

  /**
   * Prepares the upload of files and folders of this computer. Those given as links are followed, links inside not.
   *
   * @param to.folder on the master; `move`: then they leave this computer, so none may be a link
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
      // Two of one name, from different folders: both are wanted.
      const own = freeName(requirePlainName(name), names);
      names.add(own);
      items.push({ name: own, source, hidden: [], ...measure(await walkLocal(source)) });
    }
    const { connection } = files;
    const plan: Plan = { direction: 'upload', move, folder, connection, items };
    return this.#keep(plan, await files.listAll(folder));
  }

  /** Prepares the download of files and folders of the master into a folder of this computer. */
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
    const plan: Plan = { direction: 'download', move, folder, connection, items };
    return this.#keep(plan, await listFolder(folder, folder));
  }

  /**
   * What a download would write into its folder: its names, and the hidden files among those it would put into folders that
   * are there already.
   */
  writesOf({ plan: id, conflicts }: TransferPlan): string[] {
    const plan = id === null ? undefined : this.#plans.get(id)?.plan;
    const merged = new Set(conflicts.map(({ name }) => name));
    return (plan?.items ?? []).flatMap(({ name, hidden }) => [name, ...(merged.has(name) ? hidden : [])]);
  }

  /** Takes a plan out: it can be begun once. @throws OverworldError PLAN_EXPIRED */
  take(id: string): Plan {
    const kept = this.#plans.get(id);
    this.#plans.delete(id);
    if (kept === undefined || kept.expiresAt <= this.#now()) {
      throw new OverworldError('PLAN_EXPIRED', { plan: id });
    }
    return kept.plan;
  }

  /** Forgets what was prepared with the master of a connection. */
  forget(connection: string): void {
    for (const [id, { plan }] of this.#plans) if (plan.connection === connection) this.#plans.delete(id);
  }

  #keep(plan: Plan, entries: readonly Taken[]): TransferPlan {
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
    { direction, connection }: Plan,
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

/** The transfer of one name of a plan. */
export function toTransfer(
  { direction, move, connection, folder, items }: Plan,
  { name, target }: Pick<Decision, 'name' | 'target'>,
): Omit<NewTransfer, 'id'> {
  const item = items.find((planned) => planned.name === name);
  if (item === undefined) throw new Error(`${name} is not in the plan`);
  const upload = direction === 'upload';
  return {
    ...{ direction, move, connection, name: target, files: item.files, bytes: item.bytes },
    localPath: upload ? item.source : join(folder, target),
    remotePath: upload ? joinRemote(folder, target) : item.source,
  };
}

/** What a person gave, each with its own name. */
export function toSources(localPaths: readonly string[]): LocalSource[] {
  return localPaths.map((path) => ({ path, name: basename(path) }));
}

/** What is to leave its folder: no link, as what it leads to is elsewhere, and in a folder that lets it go. */
async function requireMovable(path: string): Promise<void> {
  try {
    if ((await lstat(path)).isSymbolicLink()) {
      const why = 'it is a link; copy it, or move what it leads to';
      throw new OverworldError('FILE_FORBIDDEN', { path, why });
    }
    await access(dirname(path), constants.W_OK);
  } catch (error) {
    throw toLocalError(error, path);
  }
}

/** More of them would not be read in a question either. */
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
