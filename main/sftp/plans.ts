import { randomUUID } from 'node:crypto';
import { realpath, readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { TransferPlan } from '#shared/ipc/contract.ts';
import { findConflicts } from './conflicts.ts';
import { toLocalError } from './file-errors.ts';
import { freeName, isLocalName, requirePlainName } from './names.ts';
import type { RemoteFiles } from './remote-files.ts';
import { walkLocal, walkRemote, type Tree } from './tree.ts';

/** How long a plan waits for its decision, in ms. */
const PLAN_LIFE_MS = 15 * 60_000;

/** Plans kept at the same time; the oldest goes first. */
const MAX_PLANS = 50;

/** One file or folder to be copied. `source` is a path on the side it comes from. */
interface PlannedItem {
  readonly name: string;
  readonly source: string;
  readonly files: number;
  readonly bytes: number;
}

/** A transfer that was prepared. `folder` is the destination, on the other side. */
export interface Plan {
  readonly direction: 'upload' | 'download';
  readonly folder: string;
  readonly items: readonly PlannedItem[];
}

/** A thing on this computer to upload, with the name it gets. */
export interface LocalSource {
  readonly path: string;
  readonly name: string;
}

/** The plan of somebody who closed the dialog. */
export const NO_PLAN: TransferPlan = { plan: null, files: 0, bytes: 0, conflicts: [] };

/**
 * Prepares transfers and keeps them until they are begun. The window only ever holds a plan's random id, so it can
 * name no path on this computer (shared/ipc/contract.ts).
 */
export class Plans {
  readonly #plans = new Map<string, { readonly plan: Plan; readonly expiresAt: number }>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Prepares the upload of files and folders of this computer. Those given as links are followed, links inside not. */
  async planUpload(
    files: RemoteFiles,
    folder: string,
    sources: readonly LocalSource[],
  ): Promise<TransferPlan> {
    const names = new Set<string>();
    const items: PlannedItem[] = [];
    for (const { path, name } of sources) {
      const source = await realpath(path).catch((error: unknown) => {
        throw toLocalError(error, path);
      });
      // Two of one name, from different folders: both are wanted.
      const own = freeName(requirePlainName(name), names);
      names.add(own);
      items.push({ name: own, source, ...count(await walkLocal(source)) });
    }
    const taken = new Set((await files.listAll(folder)).map((entry) => entry.name));
    return this.#keep({ direction: 'upload', folder, items }, taken);
  }

  /** Prepares the download of files and folders of the master into a folder of this computer. */
  async planDownload(files: RemoteFiles, paths: readonly string[], folder: string): Promise<TransferPlan> {
    const items: PlannedItem[] = [];
    for (const source of new Set(paths)) {
      const name = source.slice(source.lastIndexOf('/') + 1);
      if (!isLocalName(name, process.platform)) throw new OverworldError('FILE_NAME_INVALID', { name });
      items.push({ name, source, ...count(await walkRemote(files, source)) });
    }
    return this.#keep({ direction: 'download', folder, items }, await namesHere(folder));
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

  #keep(plan: Plan, taken: ReadonlySet<string>): TransferPlan {
    const id = randomUUID();
    this.#plans.set(id, { plan, expiresAt: this.#now() + PLAN_LIFE_MS });
    for (const old of [...this.#plans.keys()].slice(0, -MAX_PLANS)) this.#plans.delete(old);
    return {
      plan: id,
      files: sum(plan.items, 'files'),
      bytes: sum(plan.items, 'bytes'),
      conflicts: findConflicts(
        plan.items.map(({ name }) => name),
        taken,
      ).map((name) => ({
        name,
        kind: 'file',
        source: { bytes: 0, files: 1, modifiedAt: 0 },
        target: { kind: 'file', bytes: 0, modifiedAt: 0 },
        resumable: false,
      })),
    };
  }
}

/** What a person gave, each with its own name. */
export function toSources(localPaths: readonly string[]): LocalSource[] {
  return localPaths.map((path) => ({ path, name: basename(path) }));
}

/** Names in a folder of this computer. */
export async function namesHere(folder: string): Promise<Set<string>> {
  try {
    return new Set(await readdir(folder));
  } catch (error) {
    throw toLocalError(error, folder);
  }
}

function count({ files }: Tree): { files: number; bytes: number } {
  return { files: files.length, bytes: sum(files, 'bytes') };
}

function sum<K extends string>(items: readonly Readonly<Record<K, number>>[], key: K): number {
  return items.reduce((total, item) => total + item[key], 0);
}
