import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceFile } from '#shared/model/service-files.ts';
import { MAX_ENTRIES } from '../../walk.ts';
import { entriesOf, type FileSource } from './source.ts';

/**
 * The folders and files to fetch. Each folder comes before its content. Paths are relative to the top of the source.
 */
export interface FetchPlan {
  readonly folders: readonly string[];
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  readonly bytes: number;
  /** Paths that are not fetched: links, special files, and paths that `leavesOut` excludes. */
  readonly skipped: readonly string[];
}

/**
 * Finds all files and folders at and below the given paths of a source.
 *
 * @param paths the empty path is the top of the source
 * @param leavesOut returns whether a path must not be fetched
 * @throws OverworldError FILE_NOT_FOUND if one of the paths does not exist, TOO_MANY; the signal's abort reason
 */
export async function planFetch(
  source: Pick<FileSource, 'list'>,
  { paths, leavesOut }: { readonly paths: readonly string[]; readonly leavesOut: (path: string) => boolean },
  signal: AbortSignal,
): Promise<FetchPlan> {
  const draft = new Draft(leavesOut);
  for (const path of outermost(paths)) {
    draft.addParents(path);
    const waiting: string[] = [];
    if (path === '') waiting.push(path);
    else if (draft.add(path, await find(source, path, signal))) waiting.push(path);
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      for await (const entry of entriesOf(source, folder, signal)) {
        const inside = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (draft.add(inside, entry)) waiting.push(inside);
      }
    }
  }
  return draft.plan;
}

/** Removes duplicates, and paths that are below other paths of the list. */
function outermost(paths: readonly string[]): readonly string[] {
  const all = new Set(paths);
  const isBelow = (path: string): boolean => {
    if (path !== '' && all.has('')) return true;
    const names = path.split('/');
    return names.some((_, at) => at > 0 && all.has(names.slice(0, at).join('/')));
  };
  return [...all].filter((path) => !isBelow(path));
}

async function find(
  source: Pick<FileSource, 'list'>,
  path: string,
  signal: AbortSignal,
): Promise<ServiceFile> {
  const cut = path.lastIndexOf('/');
  for await (const entry of entriesOf(source, path.slice(0, Math.max(0, cut)), signal)) {
    if (entry.name === path.slice(cut + 1)) return entry;
  }
  throw new OverworldError('FILE_NOT_FOUND', { path });
}

/** A plan to which entries are still being added. */
class Draft {
  readonly #leavesOut: (path: string) => boolean;
  readonly #folders = new Set<string>();
  readonly #files: { readonly path: string; readonly bytes: number }[] = [];
  readonly #skipped: string[] = [];
  #bytes = 0;

  constructor(leavesOut: (path: string) => boolean) {
    this.#leavesOut = leavesOut;
  }

  get plan(): FetchPlan {
    return { folders: [...this.#folders], files: this.#files, bytes: this.#bytes, skipped: this.#skipped };
  }

  addParents(path: string): void {
    const names = path.split('/');
    for (let at = 1; at < names.length; at++) this.#folders.add(names.slice(0, at).join('/'));
  }

  /** Adds an entry. Returns whether it is a folder whose content belongs to the plan. */
  add(path: string, { kind, bytes }: ServiceFile): boolean {
    if (this.#files.length + this.#folders.size + this.#skipped.length >= MAX_ENTRIES)
      throw new OverworldError('TOO_MANY', { what: 'files and folders', limit: MAX_ENTRIES });
    if (kind === 'other' || this.#leavesOut(path)) {
      this.#skipped.push(path);
      return false;
    }
    if (kind === 'folder') {
      this.#folders.add(path);
      return true;
    }
    this.#files.push({ path, bytes });
    this.#bytes += bytes;
    return false;
  }
}
