import { fileViews, readOnlyReason, type FileViewName } from '#shared/model/file-views.ts';
import { mayWriteFiles, type KeyRights, type Role } from '#shared/model/access/role.ts';
import type { WriteLimit } from '#master/store/disk-reserve.ts';
import { openFolderArea, type FileArea, type PlacedPath } from './jail/file-area.ts';
import { templateOfPath, type FileEvent, type OnFileEvent } from './file-event.ts';
import { requireReadRight, requireWriteRight } from './file-rights.ts';
import { Handles } from './handles.ts';
import type { PacketReader } from './protocol/packet-reader.ts';
import { PoolBypass } from './jail/pool-bypass.ts';
import { ReadBuffers } from './read-buffers.ts';
import { forbidden } from './protocol/refusal.ts';
import {
  formatPath,
  fromText,
  isInView,
  parsePath,
  toText,
  type Area,
  type ByteString,
  type ViewPath,
  type VirtualPath,
} from './protocol/virtual-path.ts';
import type { ChangeView, FileViews, OpenViews, ViewChange } from './views/view.ts';

/** Handles one type of request. Throws a Refusal or an errno error for every result other than success. */
export type RequestHandler = (session: SftpSession, id: number, fields: PacketReader) => Promise<Buffer>;

/** The path of a file or folder as the client knows it. */
type ShownPath = PlacedPath | ViewPath;

/** The file or folder on disk that a request changes or opens. */
export interface FileTarget {
  readonly area: FileArea;
  readonly path: PlacedPath;
  /** Must be asked before each write. */
  readonly limit: WriteLimit;
  readonly shown: ShownPath;
  /** The change of the view to which the file or folder belongs. Null outside of views. */
  readonly change: ViewChange | null;
}

interface SessionOptions {
  readonly fileArea: FileArea;
  readonly views?: OpenViews | undefined;
  readonly onFileEvent: OnFileEvent;
  readonly viewersRead: () => boolean;
}

/** The state that the requests of one SFTP session share, such as the rights of the user and the open handles. */
export class SftpSession {
  readonly area: FileArea;
  /** The views in the root folder. Null if there are none. */
  readonly views: FileViews | null;
  readonly handles = new Handles();
  readonly buffers = new ReadBuffers();
  /** Decides whether small reads run on the event loop or in the thread pool. */
  readonly reads = new PoolBypass();
  /** Decides whether short calls that change the disk run on the event loop or in the thread pool. */
  readonly changes = new PoolBypass();
  readonly #name: string;
  readonly #role: Role;
  readonly #viewersRead: () => boolean;
  readonly #onFileEvent: OnFileEvent;
  /** Jails for changes in views, by folder on disk. */
  readonly #changed = new Map<string, FileArea>();

  constructor(
    who: KeyRights & { readonly name: string },
    { fileArea, views, onFileEvent, viewersRead }: SessionOptions,
  ) {
    this.area = fileArea.limitedTo(who.templates);
    this.views = views?.(who.templates) ?? null;
    this.#name = who.name;
    this.#role = who.role;
    this.#viewersRead = viewersRead;
    this.#onFileEvent = onFileEvent;
  }

  /** Names of the folders in the root folder that exist for the user. */
  get roots(): readonly (Area | FileViewName)[] {
    return [...this.area.areas, ...(this.views === null ? [] : fileViews)];
  }

  get mayWrite(): boolean {
    return mayWriteFiles(this.#role);
  }

  /**
   * Checks that the user may change files.
   *
   * @throws Refusal if the user's role is viewer
   */
  requireWrite(): void {
    requireWriteRight(this.#role);
  }

  /**
   * Checks that the user may read the contents of files now. An owner can change this right during a session.
   *
   * @throws Refusal if the user's role is viewer, and viewers may not read the contents of files
   */
  requireRead(): void {
    requireReadRight(this.#role, this.#viewersRead());
  }

  /**
   * Parses a path to a file or folder on disk outside of views.
   *
   * @throws Refusal for the root folder, for views, and for paths that {@link parsePath} refuses
   */
  placed(path: ByteString): PlacedPath {
    return this.toPlaced(parsePath(path));
  }

  /**
   * Returns a parsed path that leads to a file or folder on disk outside of views. @throws Refusal as {@link placed}
   */
  toPlaced(path: VirtualPath): PlacedPath {
    if (path.area === null) {
      throw forbidden(`The root folder contains only ${this.roots.map((name) => `/${name}`).join(', ')}`);
    }
    if (isInView(path)) throw forbidden(readOnlyReason(path.area));
    return path;
  }

  /**
   * Runs a request that changes or opens a file or folder, with its place on disk.
   *
   * @throws Refusal as {@link placed}, except for views: a path in a view is refused only if the path is read-only;
   *   whatever `work` throws
   */
  async changing<T>(path: VirtualPath, work: (target: FileTarget) => Promise<T>): Promise<T> {
    if (isInView(path))
      return this.#changingView(path, async (change) => work(await this.#toTarget(path, change)));
    const placed = this.toPlaced(path);
    const limit = this.area.reserve(placed.area);
    return work({ area: this.area, path: placed, limit, shown: placed, change: null });
  }

  /**
   * Runs a request that moves a file or folder, with both places on disk. Nothing can be moved into a view or out of
   * it.
   *
   * @throws Refusal as {@link changing}, or if one path is in a view and the other is not in the same volume
   */
  async changingBoth<T>(
    one: VirtualPath,
    other: VirtualPath,
    work: (one: FileTarget, other: FileTarget) => Promise<T>,
  ): Promise<T> {
    if (!isInView(one) && !isInView(other))
      return this.changing(one, (first) => this.changing(other, (second) => work(first, second)));
    for (const path of [one, other]) if (isInView(path)) this.#changeOf(path);
    if (!isInView(one) || !isInView(other) || one.area !== other.area)
      throw forbidden('Files can be moved within one volume only. Copy them instead');
    return this.#changingView(one, async (first) => {
      const second = { ...first, names: await first.place(namesIn(other)) };
      return work(await this.#toTarget(one, first), await this.#toTarget(other, second));
    });
  }

  #changingView<T>(path: ViewPath, work: (change: ViewChange) => Promise<T>): Promise<T> {
    return this.#changeOf(path)(namesIn(path), this.#name, work);
  }

  async #toTarget(shown: ViewPath, change: ViewChange): Promise<FileTarget> {
    const { folder, limit, names } = change;
    // The jail of a volume's folder can be used again, because pinned folders in it are checked before each use.
    const area = this.#changed.get(folder) ?? (await openFolderArea(folder));
    this.#changed.set(folder, area);
    return { area, path: { area: 'files', names: names.map(fromText) }, limit, shown, change };
  }

  #changeOf({ area }: ViewPath): ChangeView {
    const change = this.views?.[area].change;
    if (change === undefined) throw forbidden(readOnlyReason(area));
    return change;
  }

  /** Reports that the user has written or deleted a file or folder. */
  emit(kind: 'files.written' | 'files.deleted', path: ShownPath): void {
    this.#report({ kind, path: toText(formatPath(path)) });
  }

  /**
   * Reports that the user has renamed a file or folder. If its template changes, reports a deletion in the old template
   * and a written file in the new one, because a limited key may see only the names in its own templates.
   */
  emitRename(from: ShownPath, target: ShownPath): void {
    const [path, to] = [toText(formatPath(from)), toText(formatPath(target))];
    if (templateOfPath(path) === templateOfPath(to)) {
      this.#report({ kind: 'files.renamed', path, to });
    } else {
      this.#report({ kind: 'files.deleted', path });
      this.#report({ kind: 'files.written', path: to });
    }
  }

  #report(event: Pick<FileEvent, 'kind' | 'path' | 'to'>): void {
    this.#onFileEvent({ ...event, template: templateOfPath(event.path), actor: this.#name });
  }
}

function namesIn({ names }: ViewPath): string[] {
  const texts = names.map(toText);
  if (texts.some((text, at) => fromText(text) !== names[at]))
    throw forbidden('Names must be valid UTF-8 here');
  return texts;
}
