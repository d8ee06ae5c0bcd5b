import { HAND_OVER_FILE } from '#shared/link/messages.ts';
import { MAX_PIECE_BYTES, type ServiceFile } from '#shared/model/service-files.ts';
import { includesView, limitRefusal, type TemplateLimit } from '#shared/model/access/template-limit.ts';
import { liveFilesOf, type FileNodes, type LiveFiles } from '#master/control/services/live-files.ts';
import { failure, forbidden } from '#master/files/sftp/protocol/refusal.ts';
import type { FileView, ViewEntry, ViewFolder } from '#master/files/sftp/views/view.ts';
import { entriesOf } from '#master/files/tasks/fetch/source.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { SecretFilter } from '#master/files/tasks/fetch/secret-filter.ts';
import { readPiece, requireReadable } from '../service-copies/read-piece.ts';
import { folderAttrs, toAttrs } from './attributes.ts';
import { listed } from './listed.ts';
import { openLiveFile } from './live-file.ts';
import { PieceCache } from './piece-cache.ts';

export interface ServicesViewOptions {
  readonly context: FileNodes & Pick<ServiceStores, 'records'>;
  /** Hides the network's secret in the files of the view. */
  readonly secret: SecretFilter;
}

/** A folder of a service that is being listed. */
interface ListedFolder {
  readonly files: LiveFiles;
  readonly folder: string;
  /** ms since epoch. */
  readonly changedAt: number;
}

/** The folders of services that are on a node: `/services/<id>/`. */
export class ServicesView {
  readonly #context: ServicesViewOptions['context'];
  readonly #secret: SecretFilter;
  readonly #pieces = new PieceCache<Awaited<ReturnType<typeof readPiece>>>();
  readonly #openedAt = Date.now();

  constructor({ context, secret }: ServicesViewOptions) {
    this.#context = context;
    this.#secret = secret;
  }

  /** Returns the view that a key with this limit has. */
  for(limit: TemplateLimit): FileView {
    return {
      stat: async (names) => {
        const [id] = names;
        if (id === undefined) return folderAttrs(this.#openedAt);
        const { path, files } = this.#find(limit, names);
        if (path === '') return folderAttrs(this.#startOf(id));
        requireReadable(path);
        return toAttrs(await files.describe(path));
      },
      list: async (names) => {
        const [id] = names;
        if (id === undefined) return listed(folderAttrs(this.#openedAt), this.#services(limit));
        const closing = new AbortController();
        const { path, files } = this.#find(limit, names, closing.signal);
        return this.#list({ files, folder: path, changedAt: this.#startOf(id) }, closing);
      },
      open: async (names) => {
        const [id = ''] = names;
        const { path } = this.#find(limit, names);
        if (path === '') throw failure('It is a folder');
        return openLiveFile((piece) => this.#readPiece(id, path, piece));
      },
    };
  }

  /** Returns where a file is. Checks the limit first, so that the refusal does not show which services exist. */
  #find(
    limit: TemplateLimit,
    [id = '', ...names]: readonly string[],
    signal = NEVER,
  ): { readonly path: string; readonly files: LiveFiles } {
    if (limit !== null && !includesView(limit, 'services', id)) throw forbidden(limitRefusal(limit));
    return { path: names.join('/'), files: liveFilesOf(id, this.#context, signal) };
  }

  *#services(limit: TemplateLimit): Generator<ViewEntry> {
    const present = this.#context.records.all.filter(({ node }) => node !== null);
    for (const { id } of present.toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }))) {
      if (includesView(limit, 'services', id)) yield { name: id, attrs: folderAttrs(this.#startOf(id)) };
    }
  }

  #startOf(id: string): number {
    const record = this.#context.records.get(id);
    return record?.startedAt ?? record?.requestedAt ?? this.#openedAt;
  }

  /** Lists a folder page by page. Reads the first page now, so that opening a folder fails if it cannot be listed. */
  async #list({ files, folder, changedAt }: ListedFolder, closing: AbortController): Promise<ViewFolder> {
    const entries = entriesOf(files, folder, closing.signal);
    const first = await entries.next();
    return listed(folderAttrs(changedAt), shownOf(folder, first, entries), () =>
      closing.abort(failure('The folder was closed')),
    );
  }

  #readPiece(id: string, path: string, piece: number): ReturnType<typeof readPiece> {
    // The service may have moved to another node since the file was opened.
    const source = liveFilesOf(id, this.#context, NEVER);
    const wanted = { source, path, from: piece * MAX_PIECE_BYTES, length: MAX_PIECE_BYTES };
    return this.#pieces.get(`${id}/${path}\0${piece}`, () => readPiece(wanted, this.#secret));
  }
}

/** A signal that is never aborted. Each call to a node has its own time limit, so it ends even without the signal. */
const NEVER = new AbortController().signal;

/**
 * Yields the entries of a folder that clients see. Leaves out the file that no client may read, so that copies of
 * the folder succeed.
 */
async function* shownOf(
  folder: string,
  first: IteratorResult<ServiceFile>,
  rest: AsyncIterable<ServiceFile>,
): AsyncGenerator<ViewEntry> {
  if (first.done === true) return;
  yield* shown(folder, first.value);
  for await (const entry of rest) yield* shown(folder, entry);
}

function shown(folder: string, entry: ServiceFile): ViewEntry[] {
  if (folder === '' && entry.name === HAND_OVER_FILE) return [];
  return [{ name: entry.name, attrs: toAttrs(entry) }];
}
