import { CONTENTS_REFUSAL, mayReadFiles, mayWriteFiles, type KeyRights } from '#shared/model/role.ts';
import type { FileArea, PlacedPath } from './jail/file-area.ts';
import type { FileEvent, OnFileEvent } from './file-event.ts';
import { Handles } from './handles.ts';
import type { PacketReader } from './protocol/packet-reader.ts';
import { PoolBypass } from './jail/pool-bypass.ts';
import { ReadBuffers } from './read-buffers.ts';
import { forbidden } from './protocol/refusal.ts';
import { formatPath, parsePath, toText, type ByteString } from './protocol/virtual-path.ts';

/** Handles one type of request. Throws a Refusal or an errno error for every result other than success. */
export type RequestHandler = (session: SftpSession, id: number, fields: PacketReader) => Promise<Buffer>;

interface SessionOptions {
  readonly fileArea: FileArea;
  readonly onFileEvent: OnFileEvent;
  readonly viewersRead: () => boolean;
}

/** State that the requests of one SFTP session share, such as the user and the open handles. */
export class SftpSession {
  readonly area: FileArea;
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
    { fileArea, onFileEvent, viewersRead }: SessionOptions,
  ) {
    this.area = fileArea.limitedTo(who.templates);
    this.#name = who.name;
    this.#mayWrite = mayWriteFiles(who.role);
    this.#mayRead = () => mayReadFiles(who.role, viewersRead());
    this.#onFileEvent = onFileEvent;
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
   * Parses a path that has a location on disk.
   *
   * @throws Refusal for the root and for paths that {@link parsePath} refuses
   */
  placed(path: ByteString): PlacedPath {
    const parsed = parsePath(path);
    if (parsed.area === null) {
      throw forbidden(
        `The root folder contains only ${this.area.areas.map((area) => `/${area}`).join(' and ')}`,
      );
    }
    return parsed;
  }

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
