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
  /** Returns the next entries; none at the end. The caller waits for each call before it makes the next one. */
  next(): Promise<readonly ViewEntry[]>;
  /** Called once. A call of `next` that is in progress then throws instead of waiting for further entries. */
  close(): void;
}

/** An open file of a view. */
export interface ViewFile {
  readonly attrs: Attrs;
  /**
   * Reads up to `length` bytes at an offset (bytes). Returns fewer only at the end of the file. Calls may overlap.
   */
  read(position: number, length: number): Promise<Buffer>;
  /** Called once, when no read is in progress. */
  close(): void;
}

/** A file of a view that is open for writing. The view can end this access before the client closes the file. */
export interface WriteHold {
  /** Runs a write. @throws OverworldError with the reason if the view has ended the access; errors of `work` */
  run<T>(work: () => Promise<T>): Promise<T>;
  release(): void;
}

/** A change in a view. Contains the place on disk of the file or folder that is changed. */
export interface ViewChange {
  /** Folder on the master's disk with the files of the view. Changes use a jail that contains only this folder. */
  readonly folder: string;
  /** Path of the changed file or folder below {@link folder}. */
  readonly names: readonly string[];
  /**
   * Returns the path below {@link folder} for another path of the view. @throws Refusal if it is not in this folder
   */
  place(names: readonly string[]): readonly string[] | Promise<readonly string[]>;
  /** Must be asked before each write. */
  readonly limit: WriteLimit;
  /**
   * Reports that a file was opened for writing. Such a file must not be read, because views may hide parts of the
   * contents.
   */
  hold(): WriteHold | Promise<WriteHold>;
}

/**
 * Runs a change at a path of a view. Until the change has ended, the view does not use the files for anything else.
 *
 * @param actor name of the SSH key
 */
export type ChangeView = <T>(
  names: readonly string[],
  actor: string,
  work: (change: ViewChange) => Promise<T>,
) => Promise<T>;

/**
 * A tree of files that is not stored as such a tree on the master's disk, for example the files of running services.
 * Paths are names below the view; the empty path is the view itself. All functions throw OverworldErrors:
 * FILE_NOT_FOUND and similar codes if nothing exists at a path, FILE_FORBIDDEN if clients may not see the object.
 */
export interface FileView {
  stat(names: readonly string[]): Promise<Attrs>;
  list(names: readonly string[]): Promise<ViewFolder>;
  open(names: readonly string[]): Promise<ViewFile>;
  /**
   * Missing if the whole view is read-only. For a path that is read-only, throws FILE_FORBIDDEN and similar codes, or
   * a Refusal.
   */
  readonly change?: ChangeView;
}

/** The views of one user. */
export type FileViews = Readonly<Record<FileViewName, FileView>>;

/**
 * Returns the views for a key. Paths that the template limit does not include are refused, whether or not they exist.
 */
export type OpenViews = (limit: TemplateLimit) => FileViews;
