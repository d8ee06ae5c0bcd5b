import { readdir } from 'node:fs/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { freeName } from '#shared/free-name.ts';
import type { CopyConflict } from '#shared/model/files.ts';
import type { FileArea, PlacedPath } from '../sftp/jail/file-area.ts';
import type { Pinned } from '../sftp/jail/pin.ts';
import { formatPath, toText, type ByteString } from '../sftp/protocol/virtual-path.ts';
import { withFileErrors } from '../file-errors.ts';
import { kindOf, MAX_ENTRIES, toPath, toPlaced, walk, type WalkEntry } from '../walk.ts';

/** A folder of the destination, and the files to copy into it. A plan lists each folder after its parent folder. */
export interface PlannedFolder {
  readonly target: PlacedPath;
  /** Permission bits of a folder that has to be created. Null for the destination itself, which exists. */
  readonly mode: number | null;
  readonly files: { readonly source: PlacedPath; readonly name: ByteString; readonly bytes: number }[];
}

export interface CopyPlan {
  readonly folders: readonly PlannedFolder[];
  readonly files: number;
  readonly bytes: number;
  /**
   * Paths that are not copied, because they are links or special files. The result of the copy also contains the
   * paths of existing files that were not replaced.
   */
  readonly skipped: readonly string[];
}

export interface CopyRequest {
  readonly paths: readonly string[];
  readonly folder: string;
  readonly onConflict: CopyConflict;
  /** Jail of the source paths. Default: the jail of the destination folder. */
  readonly from?: FileArea;
}

/**
 * Plans a copy: examines everything that has to be copied, before the first byte is copied.
 *
 * @throws OverworldError FILE_NOT_FOUND, FILE_FORBIDDEN, FILE_EXISTS (if `onConflict` is `refuse`), TOO_MANY; the
 *   signal's abort reason
 */
export async function planCopy(area: FileArea, request: CopyRequest, signal: AbortSignal): Promise<CopyPlan> {
  const target = toPlaced(request.folder);
  const folder = await withFileErrors(request.folder, () => area.folder(target));
  try {
    const names = await withFileErrors(request.folder, () =>
      readdir(toText(folder.path), { encoding: 'latin1' }),
    );
    const draft = new Draft(target, new Set(names), request.onConflict);
    const from = request.from ?? area;
    for (const path of request.paths) await addSource(from, { path, folder, draft }, signal);
    return draft.plan;
  } finally {
    folder.close();
  }
}

async function addSource(
  area: FileArea,
  { path, folder, draft }: { readonly path: string; readonly folder: Pinned; readonly draft: Draft },
  signal: AbortSignal,
): Promise<void> {
  const place = toPlaced(path);
  const name = place.names.at(-1);
  if (name === undefined) {
    throw new OverworldError('FILE_FORBIDDEN', { path, why: 'choose something in it' });
  }
  const source = await withFileErrors(path, () => area.pin(place, false));
  const stats = source.stat();
  source.close();
  const isFolder = stats.isDirectory();
  if (isFolder && (folder.real === source.real || folder.real.startsWith(`${source.real}/`))) {
    throw new OverworldError('FILE_FORBIDDEN', { path, why: 'a folder cannot be copied into itself' });
  }
  const onto = draft.nameFor(name);
  if (draft.overwrites && source.real === `${folder.real}/${onto}`) {
    throw new OverworldError('FILE_FORBIDDEN', { path, why: 'it would be copied onto itself' });
  }
  const top: WalkEntry = { place, path: '', kind: kindOf(stats), stats };
  draft.add(top, onto);
  if (!isFolder) return;
  for await (const found of walk(area, place, signal)) draft.add(found, onto);
}

/** A plan to which files and folders are still being added. */
class Draft {
  readonly #target: PlacedPath;
  readonly #taken: ReadonlySet<ByteString>;
  /** Names that exist in the destination or will exist after the copy. */
  readonly #occupied: Set<ByteString>;
  /** Names that this plan has assigned so far. */
  readonly #given = new Set<ByteString>();
  readonly #onConflict: CopyConflict;
  readonly #folders = new Map<string, PlannedFolder>();
  readonly #skipped: string[] = [];
  #entries = 0;
  #files = 0;
  #bytes = 0;

  constructor(target: PlacedPath, taken: ReadonlySet<ByteString>, onConflict: CopyConflict) {
    this.#target = target;
    this.#taken = taken;
    this.#occupied = new Set(taken);
    this.#onConflict = onConflict;
    this.#folders.set(formatPath(target), { target, mode: null, files: [] });
  }

  get overwrites(): boolean {
    return this.#onConflict === 'overwrite';
  }

  get plan(): CopyPlan {
    return {
      folders: [...this.#folders.values()],
      files: this.#files,
      bytes: this.#bytes,
      skipped: this.#skipped,
    };
  }

  /**
   * Returns the name that the copy of a source gets in the destination.
   *
   * @throws OverworldError FILE_EXISTS if the name is taken
   */
  nameFor(name: ByteString): ByteString {
    if (this.#onConflict === 'rename') {
      const free = freeName(name, this.#occupied);
      this.#occupied.add(free);
      return free;
    }
    const exists = this.#taken.has(name);
    // If two sources have the same name, it is unclear which of them to copy.
    if (this.#given.has(name) || (exists && this.#onConflict === 'refuse')) {
      throw new OverworldError('FILE_EXISTS', { path: toPath(this.#below([name])) });
    }
    this.#given.add(name);
    return name;
  }

  add({ place, path, kind, stats }: WalkEntry, onto: ByteString): void {
    this.#entries += 1;
    if (this.#entries > MAX_ENTRIES) {
      throw new OverworldError('TOO_MANY', { what: 'files and folders', limit: MAX_ENTRIES });
    }
    const names = [onto, ...(path === '' ? [] : place.names.slice(-path.split('/').length))];
    const target = this.#below(names);
    if (kind === 'folder') {
      this.#folders.set(formatPath(target), { target, mode: stats.mode & 0o777, files: [] });
    } else if (kind === 'file') {
      const name = names.at(-1) ?? onto;
      this.#folders
        .get(formatPath(this.#below(names.slice(0, -1))))
        ?.files.push({ source: place, name, bytes: stats.size });
      this.#files += 1;
      this.#bytes += stats.size;
    } else {
      this.#skipped.push(toPath(place));
    }
  }

  #below(names: readonly ByteString[]): PlacedPath {
    return { area: this.#target.area, names: [...this.#target.names, ...names] };
  }
}
