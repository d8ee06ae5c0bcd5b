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
 * Maximum number of handles of one SSH session: ten SFTP sessions have 2,560 open files, each of which may be in a
 * change.
 */
const MAX_HANDLES = 8_192;

/**
 * Maximum number of handles of all SSH sessions. Each open file of a volume also has a file descriptor of the master.
 */
const MAX_OF_ALL = 16_384;

/**
 * Maximum time of a change or write (ms). It is one request of SFTP, so it takes much less. Until it ends, its volume
 * can become no save, so no service that uses the volume starts.
 */
export const MAX_SPAN_MS = 60_000;

/** The number of handles of all sessions. */
export interface HandleCount {
  open: number;
}

interface ViewHandlesOptions {
  /** Count to which the handles are added; by default, one of its own. */
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

/** A path of a view. */
interface ViewPlace {
  readonly view: FileViewName;
  readonly names: readonly string[];
}

/** What one session has open in the views. The SSH service names it by numbers. */
export class ViewHandles {
  readonly #views: FileViews;
  readonly #count: HandleCount;
  readonly #maxSpanMs: number;
  readonly #open = new Map<number, Handle>();
  #last = 0;
  /** Number of changes and writes that have begun, or are beginning. */
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

  /** Closes a folder or file that is open for reading. */
  async close(handle: number): Promise<void> {
    const open = this.#open.get(handle);
    if (open?.kind !== 'folder' && open?.kind !== 'file') throw unknownHandle();
    this.#delete(handle);
    await closeHandle(open);
  }

  /** Begins a change. @param actor name of the session's key */
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

  /** Asks the quotas and the reserve before a write. */
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

  /** Closes everything, because the session has ended. Throws no errors of what it closes. */
  async closeAll(): Promise<void> {
    this.#closed = true;
    const all = [...this.#open.values()];
    for (const handle of this.#open.keys()) this.#delete(handle);
    await Promise.allSettled(all.map(closeHandle));
  }

  /** Forgets a change that is over once no file is open that asks its limit. */
  #forget(handle: number, { isOver, holds }: HandleOf<'change'>): void {
    if (isOver && holds === 0) this.#delete(handle);
  }

  /** Begins a change or write. It counts until it has ended. @throws Refusal if the session has too many */
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

/** Returns only the fields that are sent. */
function toAttrs({ size, uid, gid, mode, atimeMs, mtimeMs }: Attrs): Attrs {
  return { size, uid, gid, mode, atimeMs, mtimeMs };
}
