import type { FileViewName } from '#shared/model/file-views.ts';
import type { Attrs } from '#master/files/sftp/protocol/packets.ts';
import { failure, forbidden } from '#master/files/sftp/protocol/refusal.ts';
import type {
  FileViews,
  ViewChange,
  ViewFile,
  ViewFolder,
  WriteHold,
} from '#master/files/sftp/views/view.ts';
import { readOnlyReason } from '#shared/model/file-views.ts';
import { MAX_SPANS } from '../messages.ts';
import { Span } from './span.ts';

/**
 * Maximum number of handles of one SSH session. Ten SFTP sessions can have 2,560 open files, and each open file may
 * be part of a change.
 */
const MAX_HANDLES = 8_192;

/**
 * Maximum number of handles of all SSH sessions. Each open file of a volume also takes a file descriptor of the
 * master.
 */
const MAX_OF_ALL = 16_384;

/**
 * Maximum time of a change or write (ms). Each change or write is part of a single SFTP request, so it takes much
 * less. Until a change has ended, the volume's files cannot be saved, so no service that uses the volume can start.
 */
export const MAX_SPAN_MS = 60_000;

/** Number of open handles, over all sessions that share this object. */
export interface HandleCount {
  open: number;
}

interface ViewHandlesOptions {
  /** The count to which the handles are added. Default: a count for this session only. */
  readonly count?: HandleCount;
  /** Default: {@link MAX_SPAN_MS}. */
  readonly maxSpanMs?: number;
}

type Handle =
  | { readonly kind: 'folder'; readonly folder: ViewFolder }
  | { readonly kind: 'file'; readonly file: ViewFile }
  | {
      readonly kind: 'change';
      readonly change: ViewChange;
      readonly span: Span;
      holds: number;
      isOver: boolean;
    }
  | { readonly kind: 'hold'; readonly hold: WriteHold; readonly change: number }
  | { readonly kind: 'write'; readonly span: Span };

type HandleOf<K extends Handle['kind']> = Extract<Handle, { readonly kind: K }>;

/** A path in a view. */
interface ViewPlace {
  readonly view: FileViewName;
  readonly names: readonly string[];
}

/**
 * The files, folders, changes and writes in the views that one session has open. The SSH service names each by a
 * number, its handle.
 */
export class ViewHandles {
  readonly #views: FileViews;
  readonly #count: HandleCount;
  readonly #maxSpanMs: number;
  readonly #open = new Map<number, Handle>();
  #last = 0;
  /** Number of changes and writes that have begun, or are about to begin. */
  #spans = 0;
  #closed = false;

  constructor(views: FileViews, { count = { open: 0 }, maxSpanMs = MAX_SPAN_MS }: ViewHandlesOptions = {}) {
    this.#views = views;
    this.#count = count;
    this.#maxSpanMs = maxSpanMs;
  }

  stat({ view, names }: ViewPlace): Promise<Attrs> {
    return this.#views[view].stat(names);
  }

  async list({ view, names }: ViewPlace): Promise<{ handle: number; attrs: Attrs }> {
    const folder = await this.#views[view].list(names);
    return { handle: await this.#add({ kind: 'folder', folder }), attrs: toAttrs(folder.attrs) };
  }

  async open({ view, names }: ViewPlace): Promise<{ handle: number; attrs: Attrs }> {
    const file = await this.#views[view].open(names);
    return { handle: await this.#add({ kind: 'file', file }), attrs: toAttrs(file.attrs) };
  }

  async next(handle: number): Promise<{ name: string; attrs: Attrs }[]> {
    const entries = await this.#get(handle, 'folder').folder.next();
    return entries.map(({ name, attrs }) => ({ name, attrs: toAttrs(attrs) }));
  }

  async read(handle: number, position: number, length: number): Promise<Buffer> {
    return this.#get(handle, 'file').file.read(position, length);
  }

  /** Closes a folder, or a file that is open for reading. */
  async close(handle: number): Promise<void> {
    const open = this.#open.get(handle);
    if (open?.kind !== 'folder' && open?.kind !== 'file') throw unknownHandle();
    this.#delete(handle);
    await closeHandle(open);
  }

  /** Begins a change in a view. @param actor name of the session's key */
  async beginChange(
    { view, names }: ViewPlace,
    actor: string,
  ): Promise<{ handle: number; folder: string; names: string[] }> {
    const { change: changeView } = this.#views[view];
    if (changeView === undefined) throw forbidden(readOnlyReason(view));
    let begun: ViewChange | null = null;
    const span = await this.#begin((work) =>
      changeView(names, actor, (change) => {
        begun = change;
        return work();
      }),
    );
    const change = begun as ViewChange | null;
    if (change === null) throw failure('The change has not begun');
    const handle = await this.#add({ kind: 'change', change, span, holds: 0, isOver: false });
    return { handle, folder: change.folder, names: [...change.names] };
  }

  async place(handle: number, names: readonly string[]): Promise<string[]> {
    return [...(await this.#get(handle, 'change').change.place(names))];
  }

  /** Checks that a write of this many bytes would exceed neither the quotas nor the reserve of the disk. */
  async use(handle: number, bytes: number): Promise<void> {
    await this.#get(handle, 'change').change.limit.use(bytes, () => Promise.resolve());
  }

  async endChange(handle: number): Promise<void> {
    const change = this.#get(handle, 'change');
    if (change.isOver) throw unknownHandle();
    change.isOver = true;
    this.#forget(handle, change);
    await change.span.end();
  }

  async takeHold(handle: number): Promise<number> {
    const change = this.#get(handle, 'change');
    const hold = await this.#add({ kind: 'hold', hold: await change.change.hold(), change: handle });
    change.holds += 1;
    return hold;
  }

  releaseHold(handle: number): void {
    const { hold, change } = this.#get(handle, 'hold');
    this.#delete(handle);
    hold.release();
    const held = this.#open.get(change);
    if (held?.kind !== 'change') return;
    held.holds -= 1;
    this.#forget(change, held);
  }

  async beginWrite(handle: number): Promise<number> {
    const { hold } = this.#get(handle, 'hold');
    return this.#add({ kind: 'write', span: await this.#begin((work) => hold.run(work)) });
  }

  async endWrite(handle: number): Promise<void> {
    const { span } = this.#get(handle, 'write');
    this.#delete(handle);
    await span.end();
  }

  /** Closes everything after the session has ended. Ignores errors while closing. */
  async closeAll(): Promise<void> {
    this.#closed = true;
    const all = [...this.#open.values()];
    for (const handle of this.#open.keys()) this.#delete(handle);
    await Promise.allSettled(all.map(closeHandle));
  }

  /**
   * Drops a change that has ended. If files that were opened during the change are still open, keeps it until the
   * last of them is closed, because their writes check its limit.
   */
  #forget(handle: number, { isOver, holds }: HandleOf<'change'>): void {
    if (isOver && holds === 0) this.#delete(handle);
  }

  /**
   * Begins a change or write, which counts until it has ended. @throws Refusal if the session has too many in
   * progress
   */
  async #begin(run: (work: () => Promise<void>) => Promise<unknown>): Promise<Span> {
    if (this.#spans >= MAX_SPANS) throw failure(`Too many changes at the same time (at most ${MAX_SPANS})`);
    this.#spans += 1;
    try {
      return await Span.begin(run, { maxMs: this.#maxSpanMs, onEnd: () => void (this.#spans -= 1) });
    } catch (error) {
      this.#spans -= 1;
      throw error;
    }
  }

  async #add(handle: Handle): Promise<number> {
    if (this.#closed || this.#open.size >= MAX_HANDLES || this.#count.open >= MAX_OF_ALL) {
      await closeHandle(handle);
      throw failure('Too many open files');
    }
    this.#last += 1;
    this.#open.set(this.#last, handle);
    this.#count.open += 1;
    return this.#last;
  }

  #delete(handle: number): void {
    if (this.#open.delete(handle)) this.#count.open -= 1;
  }

  #get<K extends Handle['kind']>(handle: number, kind: K): HandleOf<K> {
    const open = this.#open.get(handle);
    if (open?.kind !== kind) throw unknownHandle();
    return open as HandleOf<K>;
  }
}

async function closeHandle(handle: Handle): Promise<void> {
  switch (handle.kind) {
    case 'folder':
      handle.folder.close();
      return;
    case 'file':
      handle.file.close();
      return;
    case 'hold':
      handle.hold.release();
      return;
    case 'change':
    case 'write':
      await handle.span.end();
  }
}

function unknownHandle(): Error {
  return failure('This handle is not open');
}

/** Returns only the fields that are part of the message. */
function toAttrs({ size, uid, gid, mode, atimeMs, mtimeMs }: Attrs): Attrs {
  return { size, uid, gid, mode, atimeMs, mtimeMs };
}
