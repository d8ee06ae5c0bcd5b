import { closeSync, constants, fstatSync } from 'node:fs';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { EARLIER_SAVES } from '#shared/model/file-views.ts';
import { includesView, limitRefusal, type TemplateLimit } from '#shared/model/access/template-limit.ts';
import { templateOfVolume, volumeIdSchema, type Save } from '#shared/model/volume.ts';
import { system } from '#master/files/sftp/jail/system-calls.ts';
import { failure, forbidden, notFound } from '#master/files/sftp/protocol/refusal.ts';
import type { FileView, ViewEntry, ViewFile, ViewFolder } from '#master/files/sftp/views/view.ts';
import type { FileSource } from '#master/files/tasks/fetch/source.ts';
import type { ServiceState } from '#master/state/context/service-state.ts';
import { findIn, namesIn, type SavedFile, type SavedName } from '#master/volumes/save-tree.ts';
import type { Volume } from '#master/volumes/volume.ts';
import type { SecretFilter } from '#master/files/tasks/fetch/secret-filter.ts';
import { readPiece } from '../service-copies/read-piece.ts';
import { folderAttrs, toAttrs } from './attributes.ts';
import { listed } from './listed.ts';
import { OpenSaves } from './open-saves.ts';
import { namesOfSaves, saveByName } from './save-names.ts';

const O_NOFOLLOW = (constants.O_NOFOLLOW as number | undefined) ?? 0;

/** Number of names that are read from a manifest at once. */
const PIECE_NAMES = 128;

export interface VolumesViewOptions {
  readonly volumes: ServiceState['volumes'];
  /** The secret that the view does not show. */
  readonly secret: SecretFilter;
}

/** What a path of the view is. */
type Place =
  | { readonly kind: 'top' }
  | { readonly kind: 'template'; readonly volumes: readonly Volume[] }
  | { readonly kind: 'saves'; readonly volume: Volume }
  | SavePlace;

/** A path in a save. */
interface SavePlace {
  readonly kind: 'save';
  readonly volume: Volume;
  /** Null for a volume that has no save. */
  readonly save: Save | null;
  readonly path: string;
  /** Whether it is the folder of the volume itself, in which the name `.saves` means its earlier saves. */
  readonly isVolume: boolean;
}

/**
 * The saves of volumes: `/volumes/<template>/<number>/` is the newest one, and `.saves/<time>/` in it is an earlier one. Files
 * are read from the store of the saves, and described by their manifest, because files with the same content share one file
 * on the disk.
 */
export class VolumesView {
  readonly #volumes: VolumesViewOptions['volumes'];
  readonly #secret: SecretFilter;
  readonly #saves = new OpenSaves();
  readonly #openedAt = Date.now();

  constructor({ volumes, secret }: VolumesViewOptions) {
    this.#volumes = volumes;
    this.#secret = secret;
  }

  /** Returns the view for a key. */
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
    };
  }

  /** Finds what a path is. The limit comes first, so that the answer does not show which volumes exist. */
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
    const saves = volume.saves();
    const [first, name, ...below] = rest;
    if (first !== EARLIER_SAVES) {
      const [save = null] = saves;
      return { kind: 'save', volume, save, path: rest.join('/'), isVolume: first === undefined };
    }
    if (name === undefined) return { kind: 'saves', volume };
    const save = saveByName(saves, name);
    if (save === undefined) throw notFound();
    return { kind: 'save', volume, save, path: below.join('/'), isVolume: false };
  }

  /** Returns what is at a path in a save. @throws OverworldError FILE_NOT_FOUND, VOLUME_UNREADABLE */
  async #look({ volume, save, path }: SavePlace): Promise<SavedFile | 'folder'> {
    const found =
      save === null
        ? findIn([], path)
        : await this.#saves.use(volume, save.save, ({ entries }) => findIn(entries, path));
    if (found === undefined) throw new OverworldError('FILE_NOT_FOUND', { path: `${volume.id}/${path}` });
    return found;
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
        const { save } = place;
        return listed(attrs, save === null ? folders([]) : this.#names(place, save));
      }
    }
  }

  /** Yields what is in a folder of a save. A list that is open but not read keeps no manifest in memory. */
  async *#names({ volume, path, isVolume }: SavePlace, { save, at }: Save): AsyncGenerator<ViewEntry> {
    let from: number | undefined;
    for (;;) {
      const some = await this.#saves.use(volume, save, ({ entries }) =>
        firstOf(namesIn(entries, path, from), PIECE_NAMES),
      );
      yield* savedNames(some, isVolume, at);
      from = some.at(-1)?.next;
      if (some.length < PIECE_NAMES) return;
    }
  }

  async #open(place: Place): Promise<ViewFile> {
    const found = place.kind === 'save' ? await this.#look(place) : 'folder';
    if (place.kind !== 'save' || place.save === null || found === 'folder') throw failure('It is a folder');
    const { path } = found;
    const file = await this.#saves.use(place.volume, place.save.save, (lease) =>
      system.open(lease.pathOf(path), constants.O_RDONLY | O_NOFOLLOW),
    );
    const source = { read: readerOf(file, found.modifiedAtMs) };
    return {
      attrs: attrsOf(found),
      read: async (from, length) => (await readPiece({ source, path, from, length }, this.#secret)).content,
      close: () => closeSync(file),
    };
  }

  #changedAt(place: Place): number {
    switch (place.kind) {
      case 'top':
      case 'template':
        return this.#openedAt;
      case 'saves':
        return newestAt(place.volume) ?? this.#openedAt;
      case 'save':
        return place.save?.at ?? this.#openedAt;
    }
  }
}

function firstOf<T>(all: Iterable<T>, count: number): T[] {
  const first: T[] = [];
  for (const one of all) if (first.push(one) === count) break;
  return first;
}

function newestAt(volume: Volume): number | undefined {
  return volume.saves()[0]?.at;
}

/** Returns a function that reads pieces of an open file. The content of a save does not change. */
function readerOf(file: number, changedAt: number): FileSource['read'] {
  const bytes = fstatSync(file).size;
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

function* savedNames(names: Iterable<SavedName>, isVolume: boolean, savedAt: number): Generator<ViewEntry> {
  for (const { name, file } of names) {
    // A file or folder of a server with this name is shown in the saves only.
    if (isVolume && name === EARLIER_SAVES) continue;
    yield { name, attrs: file === null ? folderAttrs(savedAt) : attrsOf(file) };
  }
}
