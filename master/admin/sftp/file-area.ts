import { mkdir, realpath } from 'node:fs/promises';
import { choosePin, type Pin, type Pinned } from './pin.ts';
import { forbidden, notFound } from './refusal.ts';
import { areas, formatPath, fromText, type Area, type ByteString, type VirtualPath } from './virtual-path.ts';

/** A place below an area: what operations work on. The root of everything has no place on disk. */
export type PlacedPath = Exclude<VirtualPath, { readonly area: null }>;

/** The last name of a path, in its folder, both held fast. To be closed. */
export interface Entry {
  /** A path for the operating system: this name in this very folder. */
  readonly path: ByteString;
  close(): void;
}

/** The jail: reaches what is really inside the master's template and shared file folders, and nothing else. */
export interface FileArea {
  /**
   * Holds fast what exists at a path.
   *
   * @throws Refusal when it is really outside, by whatever link; errno errors
   */
  pin(path: PlacedPath, follow: boolean): Promise<Pinned>;
  /**
   * Holds fast an existing folder, to make, remove or rename names in it.
   *
   * @throws Refusal when it is really outside, or a place where nobody may make or remove anything
   */
  folder(path: PlacedPath): Promise<Pinned>;
  /**
   * Holds fast the folder of a path, to make, remove or rename the last name in it.
   *
   * @throws Refusal when the folder is really outside, or a place where nobody may make or remove anything
   */
  entry(path: PlacedPath): Promise<Entry>;
  /**
   * Holds fast the folders of two paths at once; a folder that they share only once.
   *
   * @throws Refusal as {@link entry} does
   */
  entries(one: PlacedPath, other: PlacedPath): Promise<readonly [Entry, Entry]>;
}

/** The folders on disk behind the virtual root. */
export type FileAreaFolders = Readonly<Record<Area, string>>;

/**
 * Opens the jail, making its folders if need be (mode 0700).
 *
 * @throws errno errors when they cannot be made, or /proc is missing on Linux
 */
export async function openFileArea(folders: FileAreaFolders): Promise<FileArea> {
  const roots = new Map<Area, ByteString>();
  for (const area of areas) {
    await mkdir(folders[area], { recursive: true, mode: 0o700 });
    roots.set(area, toSlashes(fromText(await realpath(folders[area]))));
  }
  return new Jail(roots, await choosePin());
}

class Jail implements FileArea {
  readonly #roots: ReadonlyMap<Area, ByteString>;
  readonly #pin: Pin;

  constructor(roots: ReadonlyMap<Area, ByteString>, pin: Pin) {
    this.#roots = roots;
    this.#pin = pin;
  }

  async pin(path: PlacedPath, follow: boolean): Promise<Pinned> {
    return this.#pinInside([this.#root(path.area), ...path.names].join('/'), follow);
  }

  async entry(path: PlacedPath): Promise<Entry> {
    const { parent, name } = split(path);
    const folder = await this.folder(parent);
    return { path: `${folder.path}/${name}`, close: () => folder.close() };
  }

  async entries(one: PlacedPath, other: PlacedPath): Promise<readonly [Entry, Entry]> {
    const first = await this.entry(one);
    try {
      const { parent, name } = split(other);
      if (formatPath(parent) !== formatPath(split(one).parent)) return [first, await this.entry(other)];
      const folder = first.path.slice(0, first.path.lastIndexOf('/'));
      return [first, { path: `${folder}/${name}`, close: () => undefined }];
    } catch (error) {
      first.close();
      throw error;
    }
  }

  async folder(path: PlacedPath): Promise<Pinned> {
    const folder = await this.pin(path, true);
    // By where the folder really is: a link to the templates folder must not be a way around.
    if (toSlashes(folder.real) === this.#root('templates')) {
      folder.close();
      throw forbidden(
        'Templates are made, renamed and deleted in the app, not by SFTP; their content is yours',
      );
    }
    return folder;
  }

  async #pinInside(path: ByteString, follow: boolean): Promise<Pinned> {
    const pinned = await this.#pin(path, follow);
    const real = toSlashes(pinned.real);
    for (const root of this.#roots.values()) {
      if (real === root || real.startsWith(`${root}/`)) return pinned;
    }
    pinned.close();
    throw forbidden('A link leads out of the folder');
  }

  #root(area: Area): ByteString {
    const root = this.#roots.get(area);
    if (root === undefined) throw notFound();
    return root;
  }
}

function split({ area, names }: PlacedPath): { readonly parent: PlacedPath; readonly name: ByteString } {
  const name = names.at(-1);
  if (name === undefined) throw forbidden(`/${area} itself stays as it is`);
  return { parent: { area, names: names.slice(0, -1) }, name };
}

function toSlashes(path: ByteString): ByteString {
  return process.platform === 'win32' ? path.replaceAll('\\', '/') : path;
}
