import { mkdir, realpath } from 'node:fs/promises';
import { includesTemplate, limitRefusal, type TemplateLimit } from '#shared/model/access/template-limit.ts';
import { noReserves, type DiskReserve, type DiskReserves } from '#master/store/disk-reserve.ts';
import { PinCache, type CachedFolder } from './pin-cache.ts';
import { choosePin, type Pin, type Pinned } from './pin.ts';
import { forbidden, notFound } from '../protocol/refusal.ts';
import {
  areas,
  fromText,
  toText,
  type Area,
  type ByteString,
  type ViewPath,
  type VirtualPath,
} from '../protocol/virtual-path.ts';

/**
 * A path in the templates or in the shared files. System calls accept only such paths, because the root folder that
 * clients see does not exist on disk.
 */
export type PlacedPath = Exclude<VirtualPath, { readonly area: null } | ViewPath>;

/** A name in a pinned folder. The caller must close the entry. */
export interface PinnedEntry {
  /** Path for system calls: the name inside the pinned folder. It stays valid even if that folder is moved. */
  readonly path: ByteString;
  close(): void;
}

/** A name in a pinned folder, for system calls that do not follow links. The caller must close the entry. */
export interface Leaf extends PinnedEntry, Pick<CachedFolder, 'look'> {}

/**
 * The jail: gives access to files and folders that are really inside the master's templates folder or shared folder,
 * and to no others. It may be limited to some templates.
 */
export interface FileArea {
  /** Folders in the root folder that exist for the user. */
  readonly areas: readonly Area[];
  /**
   * Returns the same jail for a key with a template limit. Refuses everything outside of the limit, whether or not it
   * exists. Also refuses to follow a link in an included template that leads out of the limit. The templates folder
   * can be listed, but not changed.
   */
  limitedTo(limit: TemplateLimit): FileArea;
  /**
   * Returns whether an entry of a pinned folder exists for the user. Must be called for each entry when a folder is
   * listed.
   */
  shows(folder: Pick<Pinned, 'real'>, name: ByteString): boolean;
  /**
   * Pins the object at a path: later system calls reach exactly this object, even if another object gets its path.
   *
   * @param follow whether a link at the end of the path is followed
   * @throws Refusal if the object is outside the jail, even if a link inside leads to it; errno errors
   */
  pin(path: PlacedPath, follow: boolean): Promise<Pinned>;
  /**
   * Pins the object at a path in order to change its attributes. Follows links.
   *
   * @throws Refusal as {@link pin}, and for the templates folder if the jail is limited; errno errors
   */
  pinToChange(path: PlacedPath): Promise<Pinned>;
  /**
   * Pins an existing folder in order to create, remove or rename entries in it.
   *
   * @throws Refusal if the folder is outside the jail, or if clients may not change its entries
   */
  folder(path: PlacedPath): Promise<Pinned>;
  /**
   * Pins the parent folder of a path in order to create, remove or rename the last name of the path.
   *
   * @throws Refusal if the parent folder is outside the jail, or if clients may not change its entries
   */
  entry(path: PlacedPath): Promise<PinnedEntry>;
  /**
   * Pins the parent folder of a path in order to use the object at the path. This object must not be a link; for a
   * link, use {@link pin}. A system call on the entry's path must use O_NOFOLLOW, or be one that never follows links.
   * Such calls cannot reach anything outside the jail.
   *
   * @returns null if the system cannot pin folders, if the parent is the templates folder, or if the path is the top
   *   of an area; the caller must then use {@link pin} or {@link entry}, which throw the right refusal
   * @throws Refusal if the parent folder is outside the jail; errno errors
   */
  leaf(path: PlacedPath): Promise<Leaf | null>;
  /**
   * Pins the folder at a path in order to list it. Does not check whether the object is a folder.
   *
   * @throws Refusal if the object is outside the jail; errno errors
   */
  listing(path: PlacedPath): Promise<CachedFolder>;
  /** Pins the parent folders of two paths. Otherwise like {@link entry}. */
  entries(one: PlacedPath, other: PlacedPath): Promise<readonly [PinnedEntry, PinnedEntry]>;
  /** Returns the reserve of the disk on which an area is. Must be asked before each write to a file of the area. */
  reserve(area: Area): DiskReserve;
}

/** Folder on disk for each area. */
export type FileAreaFolders = Readonly<Record<Area, string>>;

/**
 * Opens the jail, and creates its folders if they do not exist (mode 0700).
 *
 * @param disks reserves of the disks; by default, none
 * @throws errno errors if a folder cannot be created, or if /proc is missing on Linux
 */
export async function openFileArea(
  folders: FileAreaFolders,
  disks: DiskReserves = noReserves(),
): Promise<FileArea> {
  const reserves = new Map<Area, DiskReserve>();
  const roots = new Map<Area, ByteString>();
  for (const area of areas) {
    await mkdir(folders[area], { recursive: true, mode: 0o700 });
    const root = await realpath(folders[area]);
    roots.set(area, toSlashes(fromText(root)));
    reserves.set(area, disks.of(root));
  }
  const pin = await choosePin();
  return new Jail({ roots, reserves, pin, folders: new PinCache(pin) }, null);
}

/**
 * Opens a jail for a single existing folder, which becomes its area `files`. The jail has no reserve.
 *
 * @throws errno errors
 */
export async function openFolderArea(folder: string): Promise<FileArea> {
  const roots = new Map<Area, ByteString>([['files', toSlashes(fromText(await realpath(folder)))]]);
  const pin = await choosePin();
  return new Jail({ roots, reserves: new Map(), pin, folders: new PinCache(pin) }, null);
}

/** The parts that a jail shares with the limited jails that were made from it. */
interface JailParts {
  /** Real path of each area. */
  readonly roots: ReadonlyMap<Area, ByteString>;
  readonly reserves: ReadonlyMap<Area, DiskReserve>;
  readonly pin: Pin;
  readonly folders: PinCache;
}

class Jail implements FileArea {
  readonly areas: readonly Area[];
  readonly #parts: JailParts;
  readonly #limit: TemplateLimit;

  constructor(parts: JailParts, limit: TemplateLimit) {
    this.#parts = parts;
    this.#limit = limit;
    this.areas = areas.filter((area) => limit === null || area === 'templates');
  }

  limitedTo(limit: TemplateLimit): FileArea {
    return new Jail(this.#parts, limit);
  }

  shows(folder: Pick<Pinned, 'real'>, name: ByteString): boolean {
    return !this.#isTemplates(folder) || includesTemplate(this.#limit, toText(name));
  }

  async pin(path: PlacedPath, follow: boolean): Promise<Pinned> {
    return this.#inside(await this.#parts.pin(this.#place(path), follow));
  }

  async pinToChange(path: PlacedPath): Promise<Pinned> {
    const pinned = await this.pin(path, true);
    if (this.#limit === null || !this.#isTemplates(pinned)) return pinned;
    pinned.close();
    throw forbidden(limitRefusal(this.#limit));
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
    return this.#inside(await this.#parts.folders.hold(this.#place(path)));
  }

  async entry(path: PlacedPath): Promise<PinnedEntry> {
    const { parent, name } = split(path);
    return toEntry(await this.folder(parent), name);
  }

  async entries(one: PlacedPath, other: PlacedPath): Promise<readonly [PinnedEntry, PinnedEntry]> {
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
      throw forbidden('Templates are created, renamed and deleted in the app, not over SFTP');
    }
    return folder;
  }

  /**
   * Returns whether a folder is the templates folder. Compares real paths, so that a link to the templates folder
   * does not bypass the rule.
   */
  #isTemplates(folder: Pick<Pinned, 'real'>): boolean {
    return toSlashes(folder.real) === this.#parts.roots.get('templates');
  }

  reserve(area: Area): DiskReserve {
    const reserve = this.#parts.reserves.get(area);
    if (reserve === undefined) throw notFound();
    return reserve;
  }

  #inside<T extends Pinned>(pinned: T): T {
    const real = toSlashes(pinned.real);
    try {
      for (const [area, root] of this.#parts.roots) {
        if (real !== root && !real.startsWith(`${root}/`)) continue;
        const [name] = real.slice(root.length + 1).split('/', 1);
        this.#requireIncluded(area, name === '' ? undefined : name);
        return pinned;
      }
      throw forbidden('A link points outside the folder');
    } catch (error) {
      pinned.close();
      throw error;
    }
  }

  #place({ area, names }: PlacedPath): ByteString {
    // Checks the limit before the disk is accessed, so that the answer does not depend on what exists there.
    this.#requireIncluded(area, names[0]);
    return [this.#root(area), ...names].join('/');
  }

  /**
   * Checks that the limit includes an area, or a name in it.
   *
   * @param name undefined for the area itself
   * @throws Refusal
   */
  #requireIncluded(area: Area, name: ByteString | undefined): void {
    if (this.#limit === null) return;
    const isIncluded = name === undefined || includesTemplate(this.#limit, toText(name));
    if (area !== 'templates' || !isIncluded) throw forbidden(limitRefusal(this.#limit));
  }

  #root(area: Area): ByteString {
    const root = this.#parts.roots.get(area);
    if (root === undefined) throw notFound();
    return root;
  }
}

function toEntry(folder: Pinned, name: ByteString): PinnedEntry {
  return { path: `${folder.path}/${name}`, close: () => folder.close() };
}

function split({ area, names }: PlacedPath): { readonly parent: PlacedPath; readonly name: ByteString } {
  const name = names.at(-1);
  if (name === undefined) throw forbidden(`/${area} itself cannot be changed`);
  return { parent: { area, names: names.slice(0, -1) }, name };
}

function toSlashes(path: ByteString): ByteString {
  return process.platform === 'win32' ? path.replaceAll('\\', '/') : path;
}
