import { fileViews, readOnlyReason, type FileViewName } from '#shared/model/file-views.ts';
import { CONTENTS_REFUSAL, mayReadFiles, mayWriteFiles, type KeyRights } from '#shared/model/access/role.ts';
import type { FileArea, PlacedPath } from './jail/file-area.ts';
import type { FileEvent, OnFileEvent } from './file-event.ts';
import { Handles } from './handles.ts';
import type { PacketReader } from './protocol/packet-reader.ts';
import { PoolBypass } from './jail/pool-bypass.ts';
import { ReadBuffers } from './read-buffers.ts';
import { forbidden } from './protocol/refusal.ts';
import {
  formatPath,
  isInView,
  parsePath,
  toText,
  type Area,
  type ByteString,
  type VirtualPath,
} from './protocol/virtual-path.ts';
import type { FileViews, OpenViews } from './views/view.ts';

/** Handles one type of request. Throws a Refusal or an errno error for every result other than success. */
export type RequestHandler = (session: SftpSession, id: number, fields: PacketReader) => Promise<Buffer>;

interface SessionOptions {
  readonly fileArea: FileArea;
  readonly views?: OpenViews | undefined;
  readonly onFileEvent: OnFileEvent;
  readonly viewersRead: () => boolean;
}

/** State that the requests of one SFTP session share, such as the user and the open handles. */
export class SftpSession {
  readonly area: FileArea;
  /** The views in the root; null if there are none. */
  readonly views: FileViews | null;
  readonly handles = new Handles();
  readonly buffers = new ReadBuffers();
  /** Decides whether small reads run on the event loop or in the thread pool. */
  readonly reads = new PoolBypass();
  /** Decides whether short calls that change the disk run on the event loop or in the thread pool. */
  readonly changes = new PoolBypass();
  readonly #name: string;
  readonly #mayWrite: boolean;
  readonly #mayRead: () => boolean;
  readonly #onFileEvent: OnFileEvent;

  constructor(
    who: KeyRights & { readonly name: string },
    { fileArea, views, onFileEvent, viewersRead }: SessionOptions,
  ) {
    this.area = fileArea.limitedTo(who.templates);
    this.views = views?.(who.templates) ?? null;
    this.#name = who.name;
    this.#mayWrite = mayWriteFiles(who.role);
    this.#mayRead = () => mayReadFiles(who.role, viewersRead());
    this.#onFileEvent = onFileEvent;
  }

  /** Names of the folders in the root that exist for the user. */
  get roots(): readonly (Area | FileViewName)[] {
    return [...this.area.areas, ...(this.views === null ? [] : fileViews)];
  }

  get mayWrite(): boolean {
    return this.#mayWrite;
  }

  /**
   * Checks that the user may change files.
   *
   * @throws Refusal if the user's role is viewer
   */
  requireWrite(): void {
    if (!this.#mayWrite) throw forbidden('Your key has the role viewer, which cannot change files');
  }

  /**
   * Checks that the user may read the contents of files now. An owner can change this during a session.
   *
   * @throws Refusal if the user's role is viewer, and viewers may not read files
   */
  requireRead(): void {
    if (!this.#mayRead()) throw forbidden(CONTENTS_REFUSAL);
  }

  /**
   * Parses a path that has a location on disk, and may be changed.
   *
   * @throws Refusal for the root, for views and for paths that {@link parsePath} refuses
   */
  placed(path: ByteString): PlacedPath {
    return this.toPlaced(parsePath(path));
  }

  /** Returns a parsed path if it has a location on disk. @throws Refusal like {@link placed} */
  toPlaced(path: VirtualPath): PlacedPath {
    if (path.area === null) {
      throw forbidden(`The root folder contains only ${this.roots.map((name) => `/${name}`).join(', ')}`);
    }
    if (isInView(path)) throw forbidden(readOnlyReason(path.area));
    return path;
  }

  /** Reports that the user has changed a file. @param to new path of a renamed file */
  emit(kind: FileEvent['kind'], path: PlacedPath, to?: PlacedPath): void {
    const [first] = path.names;
    this.#onFileEvent({
      kind,
      path: toText(formatPath(path)),
      ...(to === undefined ? {} : { to: toText(formatPath(to)) }),
      template: path.area === 'templates' && first !== undefined ? toText(first) : null,
      actor: this.#name,
    });
  }
}
