import { mkdir, realpath } from 'node:fs/promises';
import { PinCache, type CachedFolder } from './pin-cache.ts';
import { choosePin, type Pin, type Pinned } from './pin.ts';
import { forbidden, notFound } from './refusal.ts';
import { areas, fromText, type Area, type ByteString, type VirtualPath } from './virtual-path.ts';

/** Path inside an area. Operations work on these; the virtual root itself has no location on disk. */
export type PlacedPath = Exclude<VirtualPath, { readonly area: null }>;

/** Name in a pinned folder. The caller must close it. */
export interface Entry {
  /** Path for system calls: the name inside the pinned folder. It stays valid if that folder is moved. */
  readonly path: ByteString;
  close(): void;
}

/** Name in a pinned folder whose object may be used as long as no link is followed. The caller must close it. */
export interface Leaf extends Entry, Pick<CachedFolder, 'look'> {}

/**
 * The jail: gives access to objects that are really inside the master's template folder or shared folder, and to
 * nothing else.
 */
export interface FileArea {
  /**
   * Pins the object at a path.
   *
   * @throws Refusal if the object is outside the jail, whichever link leads there; errno errors
   */
  pin(path: PlacedPath, follow: boolean): Promise<Pinned>;
  /**
   * Pins an existing folder in order to create, remove or rename entries in it.
   *
   * @throws Refusal if the folder is outside the jail, or if entries cannot be created or removed in it
   */
  folder(path: PlacedPath): Promise<Pinned>;
  /**
   * Pins the parent folder of a path in order to create, remove or rename the last name of the path.
   *
   * @throws Refusal if the parent folder is outside the jail, or if entries cannot be created or removed in it
   */
  entry(path: PlacedPath): Promise<Entry>;
  /**
   * Pins the parent folder of a path in order to use the object at its last name, provided that this is no link.
   * System calls on the entry's path must use O_NOFOLLOW or never follow links; then they cannot reach anything
   * outside the jail. Use {@link pin} if the object is a link.
   *
   * @returns null if the system cannot pin folders, if the parent is the templates folder, or if the path is the
   *   top of an area; {@link pin} or {@link entry} then works or throws the right refusal
   * @throws Refusal if the parent folder is outside the jail; errno errors
   */
  leaf(path: PlacedPath): Promise<Leaf | null>;
  /**
   * Pins the folder at a path in order to list it. It does not check that the object is a folder.
   *
   * @throws Refusal if the object is outside the jail; errno errors
   */
  listing(path: PlacedPath): Promise<CachedFolder>;
  /** Pins the parent folders of two paths, as {@link entry} does for one. */
  entries(one: PlacedPath, other: PlacedPath): Promise<readonly [Entry, Entry]>;
}

/** Folder on disk for each area of the virtual root. */
export type FileAreaFolders = Readonly<Record<Area, string>>;

/**
 * Opens the jail and creates its folders if they do not exist (mode 0700).
 *
 * @throws errno errors if a folder cannot be created, or if /proc is missing on Linux
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
  readonly #folders: PinCache;

  constructor(roots: ReadonlyMap<Area, ByteString>, pin: Pin) {
    this.#roots = roots;
    this.#pin = pin;
    this.#folders = new PinCache(pin);
  }

  async pin(path: PlacedPath, follow: boolean): Promise<Pinned> {
    return this.#inside(await this.#pin(this.#place(path), follow));
  }

  async leaf(path: PlacedPath): Promise<Leaf | null> {
    if (path.names.length === 0) return null;
    const { parent, name } = split(path);
    const folder = await this.listing(parent);
    if (folder.locate !== null && !this.#isTemplates(folder)) {
      return { ...toEntry(folder, name), look: (now, later) => folder.look(now, later) };
    }
    folder.close();
    return null;
  }

  async listing(path: PlacedPath): Promise<CachedFolder> {
    return this.#inside(await this.#folders.hold(this.#place(path)));
  }

  async entry(path: PlacedPath): Promise<Entry> {
    const { parent, name } = split(path);
    return toEntry(await this.folder(parent), name);
  }

  async entries(one: PlacedPath, other: PlacedPath): Promise<readonly [Entry, Entry]> {
    const first = await this.entry(one);
    try {
      return [first, await this.entry(other)];
    } catch (error) {
      first.close();
      throw error;
    }
  }

  async folder(path: PlacedPath): Promise<Pinned> {
    const folder = await this.listing(path);
    if (this.#isTemplates(folder)) {
      folder.close();
      throw forbidden(
        'Templates are made, renamed and deleted in the app, not by SFTP; their content is yours',
      );
    }
    return folder;
  }

  /** Compares the real path, so that a link to the templates folder does not bypass the rule. */
  #isTemplates(folder: Pinned): boolean {
    return toSlashes(folder.real) === this.#root('templates');
  }

  #inside<T extends Pinned>(pinned: T): T {
    const real = toSlashes(pinned.real);
    for (const root of this.#roots.values()) {
      if (real === root || real.startsWith(`${root}/`)) return pinned;
    }
    pinned.close();
    throw forbidden('A link leads out of the folder');
  }

  #place({ area, names }: PlacedPath): ByteString {
    return [this.#root(area), ...names].join('/');
  }

  #root(area: Area): ByteString {
    const root = this.#roots.get(area);
    if (root === undefined) throw notFound();
    return root;
  }
}

function toEntry(folder: Pinned, name: ByteString): Entry {
  return { path: `${folder.path}/${name}`, close: () => folder.close() };
}

function split({ area, names }: PlacedPath): { readonly parent: PlacedPath; readonly name: ByteString } {
  const name = names.at(-1);
  if (name === undefined) throw forbidden(`/${area} itself stays as it is`);
  return { parent: { area, names: names.slice(0, -1) }, name };
}

function toSlashes(path: ByteString): ByteString {
  return process.platform === 'win32' ? path.replaceAll('\\', '/') : path;
}
