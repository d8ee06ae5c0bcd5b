import { permitsFiles, type Role } from '#shared/model/role.ts';
import type { FileArea, PlacedPath } from './file-area.ts';
import type { FileEvent, OnFileEvent } from './file-event.ts';
import { Handles } from './handles.ts';
import type { PacketReader } from './packet-reader.ts';
import { PoolBypass } from './pool-bypass.ts';
import { ReadBuffers } from './read-buffers.ts';
import { forbidden } from './refusal.ts';
import { formatPath, parsePath, toText, type ByteString } from './virtual-path.ts';

/** Handles one type of request. Throws a Refusal or an errno error for every result other than success. */
export type RequestHandler = (session: SftpSession, id: number, fields: PacketReader) => Promise<Buffer>;

/** State that the requests of one SFTP session share, such as the user and the open handles. */
export class SftpSession {
  readonly area: FileArea;
  readonly handles = new Handles();
  readonly buffers = new ReadBuffers();
  /** Decides where small reads run. */
  readonly reads = new PoolBypass();
  /** Decides where short calls run that change the disk. */
  readonly changes = new PoolBypass();
  readonly #name: string;
  readonly #mayWrite: boolean;
  readonly #onFileEvent: OnFileEvent;

  constructor(who: { readonly name: string; readonly role: Role }, area: FileArea, onFileEvent: OnFileEvent) {
    this.area = area;
    this.#name = who.name;
    this.#mayWrite = permitsFiles(who.role, true);
    this.#onFileEvent = onFileEvent;
  }

  get mayWrite(): boolean {
    return this.#mayWrite;
  }

  /** @throws Refusal if the user's role is viewer */
  requireWrite(): void {
    if (!this.#mayWrite) throw forbidden('Your key has the role viewer, which only reads files');
  }

  /**
   * Parses a path that has a location on disk. @throws Refusal for the root and for paths that {@link parsePath}
   * refuses
   */
  placed(path: ByteString): PlacedPath {
    const parsed = parsePath(path);
    if (parsed.area === null) throw forbidden('The top holds only /templates and /files');
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
