import type { FileViewName } from '#shared/model/file-views.ts';
import type { TemplateLimit } from '#shared/model/access/template-limit.ts';
import type { WriteLimit } from '#master/store/disk-reserve.ts';
import type { Attrs } from '../protocol/packets.ts';

/** A file or folder of a view. */
export interface ViewEntry {
  readonly name: string;
  readonly attrs: Attrs;
}

/** An open folder of a view. */
export interface ViewFolder {
  readonly attrs: Attrs;
  /** Returns some more entries; none at the end. The caller waits for each call before the next one. */
  next(): Promise<readonly ViewEntry[]>;
  /** Called once. A call of `next` in progress then throws instead of waiting for further entries. */
  close(): void;
}

/** An open file of a view. */
export interface ViewFile {
  readonly attrs: Attrs;
  /** Reads up to `length` bytes; fewer only at the end of the file. Calls may overlap. */
  read(position: number, length: number): Promise<Buffer>;
  /** Called once, when no read is in progress. */
  close(): void;
}

/** A file of a view that is open for writing. */
export interface WriteHold {
  /** Runs a write. @throws OverworldError why the file was closed meanwhile; errors of `work` */
  run<T>(work: () => Promise<T>): Promise<T>;
  release(): void;
}

/** A change in a view, at its real place. */
export interface ViewChange {
  /** Folder on the master's disk with the files. They are accessed in a jail that contains only this folder. */
  readonly folder: string;
  /** Names below that folder. */
  readonly names: readonly string[];
  /**
   * Returns the names of another path of the view below the same folder. @throws Refusal if it is not in this folder
   */
  place(names: readonly string[]): readonly string[] | Promise<readonly string[]>;
  /** Must be asked before each write. */
  readonly limit: WriteLimit;
  /**
   * Notes that a file was opened for writing. Its contents are not read through it, since views may hide parts of
   * them.
   */
  hold(): WriteHold | Promise<WriteHold>;
}

/**
 * Runs a change at a path of a view. `actor` is the name of the key. The view waits for it before the files are used
 * otherwise.
 */
export type ChangeView = <T>(
  names: readonly string[],
  actor: string,
  work: (change: ViewChange) => Promise<T>,
) => Promise<T>;

/**
 * A tree of files without a folder of its own on the master's disk. Paths are names below the view; the empty
 * path is the view itself. All functions throw OverworldErrors: FILE_NOT_FOUND and similar codes if nothing exists at
 * a path, FILE_FORBIDDEN if something is not shown.
 */
export interface FileView {
  stat(names: readonly string[]): Promise<Attrs>;
  list(names: readonly string[]): Promise<ViewFolder>;
  open(names: readonly string[]): Promise<ViewFile>;
  /** Missing if the view is read-only. Throws FILE_FORBIDDEN and similar codes, or a Refusal, for a path that is. */
  readonly change?: ChangeView;
}

/** The views of one user. */
export type FileViews = Readonly<Record<FileViewName, FileView>>;

/** Returns the views for a key. What its limit does not include is refused, whether or not it exists. */
export type OpenViews = (limit: TemplateLimit) => FileViews;
