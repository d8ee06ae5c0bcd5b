import { closeSync, fstatSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { READ_ONLY_FILE } from '#shared/node/small-file.ts';
import { EARLIER_SAVES, readOnlyReason } from '#shared/model/file-views.ts';
import { includesView, limitRefusal, type TemplateLimit } from '#shared/model/access/template-limit.ts';
import { currentSave, templateOfVolume, volumeIdSchema, type Save } from '#shared/model/volume.ts';
import { system } from '#master/files/sftp/jail/system-calls.ts';
import { failure, forbidden, notFound } from '#master/files/sftp/protocol/refusal.ts';
import { SecretGuard } from '#master/files/sftp/views/secret-guard.ts';
import type { FileView, ViewChange, ViewEntry, ViewFile, ViewFolder } from '#master/files/sftp/views/view.ts';
import type { FileSource } from '#master/files/tasks/fetch/source.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import { listCopy, lookInCopy, openInCopy } from '#master/volumes/copies/read-copy.ts';
import { MAX_PATH_BYTES } from '#master/volumes/save-rules.ts';
import type { SaveLease } from '#master/volumes/save-store.ts';
import { findIn, namesIn, type SavedFile, type SavedName } from '#master/volumes/save-tree.ts';
import type { Volume } from '#master/volumes/volume.ts';
import type { SecretFilter } from '#master/files/tasks/fetch/secret-filter.ts';
import { readPiece } from '../service-copies/read-piece.ts';
import { folderAttrs, toAttrs } from './attributes.ts';
import { listed } from './listed.ts';
import { OpenSaves } from './open-saves.ts';
import { namesOfSaves, saveByName } from './save-names.ts';

/** Number of names that are read from a manifest at once. */
const PIECE_NAMES = 128;

export interface VolumesViewOptions {
  readonly volumes: ServiceStores['volumes'];
  /** Hides the network's secret in the files of the view. */
  readonly secret: SecretFilter;
}

/** The object to which a path of the view leads. */
type Place =
  | { readonly kind: 'top' }
  | { readonly kind: 'template'; readonly volumes: readonly Volume[] }
  | { readonly kind: 'saves'; readonly volume: Volume }
  | SavePlace;

/** A path in the current files of a volume, or in an earlier save. */
interface SavePlace {
  readonly kind: 'save';
  readonly volume: Volume;
  /**
   * The earlier save. Null for the current files: the files of the working copy or, if there is no working copy, the
   * files of the newest save.
   */
  readonly earlier: Save | null;
  readonly names: readonly string[];
}

/** Maximum depth of a path in a volume (names). A save contains nothing that is nested more deeply. */
const MAX_DEPTH = 60;

/**
 * The files of volumes. `/volumes/<template>/<number>/` contains the current files of a volume. The files of an
 * earlier save are below it, in `.saves/<time>/`. While no service uses a volume, clients can change its current
 * files. The changes are made in a working copy, which later becomes a save (master/volumes). The content of a saved
 * file is read from the store of the saves. Its attributes come from the manifest, because files with the same
 * content share one file on the disk.
 */
export class VolumesView {
  readonly #volumes: VolumesViewOptions['volumes'];
  readonly #secret: SecretFilter;
  readonly #guards = new WeakMap<Volume, SecretGuard>();
  readonly #saves = new OpenSaves();
  readonly #openedAt = Date.now();

  constructor({ volumes, secret }: VolumesViewOptions) {
    this.#volumes = volumes;
    this.#secret = secret;
  }

  /** Returns the view that a key with this limit has. */
  for(limit: TemplateLimit): FileView {
    return {
      stat: async (names) => {
        const place = this.#find(limit, names);
        if (place.kind !== 'save') return folderAttrs(this.#changedAt(place));
        const found = await this.#look(place);
        return found === 'folder' ? folderAttrs(this.#changedAt(place)) : attrsOf(found);
      },
      list: (names) => this.#list(limit, this.#find(limit, names)),
      open: (names) => this.#open(this.#find(limit, names)),
      change: (names, actor, work) => this.#change(limit, names, { actor, work }),
    };
  }

  /**
   * Finds the object to which a path leads. Checks the limit first, so that the refusal does not show which volumes
   * exist.
   */
  #find(limit: TemplateLimit, [template, number, ...rest]: readonly string[]): Place {
    if (template === undefined) return { kind: 'top' };
    if (limit !== null && !includesView(limit, 'volumes', template)) throw forbidden(limitRefusal(limit));
    if (number === undefined) {
      const volumes = this.#volumes.all.filter(({ id }) => templateOfVolume(id) === template);
      if (volumes.length === 0) throw notFound();
      return { kind: 'template', volumes };
    }
    const id = volumeIdSchema.safeParse(`${template}/${number}`);
    if (!id.success) throw notFound();
    const volume = this.#volumes.get(id.data);
    const [first, name, ...below] = rest;
    if (first !== EARLIER_SAVES) return { kind: 'save', volume, earlier: null, names: rest };
    if (name === undefined) return { kind: 'saves', volume };
    const save = saveByName(volume.saves(), name);
    if (save === undefined) throw notFound();
    return { kind: 'save', volume, earlier: save, names: below };
  }

  /** Returns the file or folder at a path. @throws OverworldError FILE_NOT_FOUND, VOLUME_UNREADABLE */
  async #look(place: SavePlace): Promise<SavedFile | 'folder'> {
    const path = place.names.join('/');
    const copied = await fromCopy(place, (copy) => lookInCopy(copy, path));
    const found = copied === undefined ? await this.#lookInSave(place) : copied;
    if (found === null) throw new OverworldError('FILE_NOT_FOUND', { path: `${place.volume.id}/${path}` });
    return found;
  }

  async #lookInSave(place: SavePlace): Promise<SavedFile | 'folder' | null> {
    const path = place.names.join('/');
    const save = saveAt(place);
    if (save === null) return findIn([], path) ?? null;
    return this.#saves.use(place.volume, save.save, ({ entries }) => findIn(entries, path) ?? null);
  }

  /** Runs a change in the working copy of a volume. */
  async #change<T>(
    limit: TemplateLimit,
    names: readonly string[],
    { actor, work }: { readonly actor: string; readonly work: (change: ViewChange) => Promise<T> },
  ): Promise<T> {
    const { volume, names: own } = this.#findToChange(limit, names);
    return volume.workingCopy.change(actor, ({ folder, limit: writes, hold }) => {
      const place = (other: readonly string[]): readonly string[] => {
        const found = this.#findToChange(limit, other);
        if (found.volume !== volume)
          throw forbidden('Files can be moved within one volume only. Copy them instead');
        return found.names;
      };
      return this.#guardOf(volume).change(join(folder, ...own), () =>
        work({ folder, names: own, place, limit: writes, hold }),
      );
    });
  }

  #guardOf(volume: Volume): SecretGuard {
    const guard = this.#guards.get(volume) ?? new SecretGuard(this.#secret);
    this.#guards.set(volume, guard);
    return guard;
  }

  /**
   * Returns the place of a file or folder that clients may change.
   *
   * @throws Refusal; OverworldError VOLUME_NOT_FOUND, VOLUME_DAMAGED
   */
  #findToChange(limit: TemplateLimit, names: readonly string[]): SavePlace {
    const place = this.#find(limit, names);
    if (place.kind === 'saves' || (place.kind === 'save' && place.earlier !== null))
      throw forbidden(readOnlyReason('volumes'));
    if (place.kind !== 'save' || place.names.length === 0)
      throw forbidden('Volumes are created, restored and deleted in the app');
    if (place.names.length > MAX_DEPTH) throw forbidden(`A path has at most ${MAX_DEPTH} names here`);
    if (Buffer.byteLength(place.names.join('/')) > MAX_PATH_BYTES)
      throw failure(`The path is too long: a path in a volume has at most ${MAX_PATH_BYTES} bytes`);
    return place;
  }

  async #list(limit: TemplateLimit, place: Place): Promise<ViewFolder> {
    const attrs = folderAttrs(this.#changedAt(place));
    switch (place.kind) {
      case 'top': {
        const templates = new Set(this.#volumes.all.map(({ id }) => templateOfVolume(id)));
        const names = [...templates].filter((name) => includesView(limit, 'volumes', name));
        return listed(attrs, folders(names.map((name) => ({ name, at: this.#openedAt }))));
      }
      case 'template': {
        const numbers = place.volumes.map((volume) => ({
          name: volume.id.slice(volume.id.indexOf('/') + 1),
          at: newestAt(volume) ?? this.#openedAt,
        }));
        return listed(attrs, folders(numbers));
      }
      case 'saves': {
        const names = namesOfSaves(place.volume.saves());
        return listed(attrs, folders([...names].map(([name, { at }]) => ({ name, at }))));
      }
      case 'save': {
        if ((await this.#look(place)) !== 'folder') throw failure('It is not a folder');
        const path = place.names.join('/');
        const copied = await fromCopy(place, (copy) => listCopy(copy, path));
        return listed(attrs, copied === undefined ? this.#namesInSave(place) : savedNames(copied, place));
      }
    }
  }

  /**
   * Yields the entries of a folder in a save. Does not keep the manifest in memory between two requests of the
   * client.
   */
  async *#namesInSave(place: SavePlace): AsyncGenerator<ViewEntry> {
    const save = saveAt(place);
    const folder = place.names.join('/');
    let from: number | undefined;
    while (save !== null) {
      const some = await this.#saves.use(place.volume, save.save, ({ entries }) =>
        firstOf(namesIn(entries, folder, from), PIECE_NAMES),
      );
      yield* savedNames(some, place);
      from = some.at(-1)?.next;
      if (some.length < PIECE_NAMES) return;
    }
  }

  async #open(place: Place): Promise<ViewFile> {
    const found = place.kind === 'save' ? await this.#look(place) : 'folder';
    if (place.kind !== 'save' || found === 'folder') throw failure('It is a folder');
    const { path } = found;
    const copied = await fromCopy(place, (copy) => openInCopy(copy, path));
    if (copied === null) throw failure('It is not a regular file');
    const file =
      copied?.fd ??
      (await this.#openInSave(place, (lease) => system.open(lease.pathOf(path), READ_ONLY_FILE)));
    const close = (): void => closeOpened(copied ?? file);
    const stats = fstatSync(file);
    if (!stats.isFile()) {
      close();
      throw failure('It is not a regular file');
    }
    const source = { read: readerOf(file, { bytes: stats.size, changedAt: found.modifiedAtMs }) };
    const guard = this.#guardOf(place.volume);
    return {
      attrs: attrsOf(found),
      read: async (from, length) =>
        (await guard.read(() => readPiece({ source, path, from, length }, this.#secret))).content,
      close,
    };
  }

  #openInSave(place: SavePlace, open: (lease: SaveLease) => Promise<number>): Promise<number> {
    const save = saveAt(place);
    if (save === null) throw notFound();
    return this.#saves.use(place.volume, save.save, open);
  }

  #changedAt(place: Place): number {
    switch (place.kind) {
      case 'top':
      case 'template':
        return this.#openedAt;
      case 'saves':
        return newestAt(place.volume) ?? this.#openedAt;
      case 'save':
        return saveAt(place)?.at ?? this.#openedAt;
    }
  }
}

function firstOf<T>(all: Iterable<T>, count: number): T[] {
  const first: T[] = [];
  for (const one of all) if (first.push(one) === count) break;
  return first;
}

/**
 * Calls `work` with the folder of the working copy, and returns its result. Undefined if the place is not in a
 * working copy.
 */
async function fromCopy<T>(
  { earlier, volume }: SavePlace,
  work: (copy: string) => Promise<T>,
): Promise<T | undefined> {
  return earlier === null ? volume.workingCopy.read(work) : undefined;
}

function saveAt({ earlier, volume }: SavePlace): Save | null {
  return earlier ?? currentSave(volume.saves());
}

function newestAt(volume: Volume): number | undefined {
  return currentSave(volume.saves())?.at;
}

function closeOpened(file: FileHandle | number): void {
  if (typeof file === 'number') closeSync(file);
  // Closing a file that was only read does not fail.
  else void file.close();
}

/**
 * Returns a function that reads pieces of an open file. `bytes` is its size, which does not change.
 */
function readerOf(
  file: number,
  { bytes, changedAt }: { readonly bytes: number; readonly changedAt: number },
): FileSource['read'] {
  return async (_path, { from, length }) => {
    const wanted = Math.max(0, Math.min(length, bytes - from));
    if (wanted === 0) return { content: Buffer.alloc(0), bytes, changedAt };
    const buffer = Buffer.allocUnsafe(wanted);
    const { bytesRead } = await system.read(file, buffer, 0, wanted, from);
    return { content: buffer.subarray(0, bytesRead), bytes, changedAt };
  };
}

function attrsOf({ size, mode, modifiedAtMs }: SavedFile): ReturnType<typeof toAttrs> {
  return toAttrs({ kind: 'file', bytes: size, changedAt: modifiedAtMs, mode });
}

function* folders(all: readonly { readonly name: string; readonly at: number }[]): Generator<ViewEntry> {
  for (const { name, at } of all) yield { name, attrs: folderAttrs(at) };
}

function* savedNames(names: Iterable<SavedName>, place: SavePlace): Generator<ViewEntry> {
  const isVolume = place.earlier === null && place.names.length === 0;
  const savedAt = saveAt(place)?.at ?? 0;
  for (const { name, file } of names) {
    // A file or folder with the name `.saves` that a server has created is only shown in earlier saves.
    if (isVolume && name === EARLIER_SAVES) continue;
    yield { name, attrs: file === null ? folderAttrs(savedAt) : attrsOf(file) };
  }
}
