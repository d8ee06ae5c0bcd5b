import { mkdir, realpath } from 'node:fs/promises';
import { KeptPins, type HeldFolder } from './kept-pins.ts';
import { choosePin, type Pin, type Pinned } from './pin.ts';
import { forbidden, notFound } from './refusal.ts';
import { areas, fromText, type Area, type ByteString, type VirtualPath } from './virtual-path.ts';

/** A place below an area: what operations work on. The root of everything has no place on disk. */
export type PlacedPath = Exclude<VirtualPath, { readonly area: null }>;

/** The last name of a path, in its folder, both held fast. To be closed. */
export interface Entry {
  /** A path for the operating system: this name in this very folder. */
  readonly path: ByteString;
  close(): void;
}

/** What the last name of a path is, in its folder; no link is to be followed. To be closed. */
export interface Leaf extends Entry, Pick<HeldFolder, 'look'> {}

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
   * Holds fast the folder of a path, to use what the last name in it is, if that is no link: a call with O_NOFOLLOW, or
   * one that never follows, on the entry's path touches nothing outside. A link there is what {@link pin} is for.
   *
   * @returns null where that would not be safe (the system cannot hold folders fast) or allowed (new templates), and for
   *   the top of an area: {@link pin} or {@link entry} says what is to be said
   * @throws Refusal when the folder is really outside; errno errors
   */
  leaf(path: PlacedPath): Promise<Leaf | null>;
  /**
   * Holds fast what should be a folder, to list it.
   *
   * @throws Refusal when it is really outside; errno errors
   */
  listing(path: PlacedPath): Promise<HeldFolder>;
  /** As {@link entry}, for two paths at once. */
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
  readonly #folders: KeptPins;

  constructor(roots: ReadonlyMap<Area, ByteString>, pin: Pin) {
    this.#roots = roots;
    this.#pin = pin;
    this.#folders = new KeptPins(pin);
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

  async listing(path: PlacedPath): Promise<HeldFolder> {
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

  /** By where the folder really is: a link to the templates folder must not be a way around. */
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
