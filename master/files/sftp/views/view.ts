import type { FileViewName } from '#shared/model/file-views.ts';
import type { TemplateLimit } from '#shared/model/access/template-limit.ts';
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

/**
 * A read-only tree of files without a folder of its own on the master's disk. Paths are names below the view; the empty
 * path is the view itself. All functions throw OverworldErrors: FILE_NOT_FOUND and similar codes if nothing exists at a
 * path, FILE_FORBIDDEN if something is not shown.
 */
export interface FileView {
  stat(names: readonly string[]): Promise<Attrs>;
  list(names: readonly string[]): Promise<ViewFolder>;
  open(names: readonly string[]): Promise<ViewFile>;
}

/** The views of one user. */
export type FileViews = Readonly<Record<FileViewName, FileView>>;

/** Returns the views for a key. What its limit does not include is refused, whether or not it exists. */
export type OpenViews = (limit: TemplateLimit) => FileViews;
