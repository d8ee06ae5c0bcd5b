import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { visibleName } from '#shared/text/visible-name.ts';
import type { Ask } from '../window/ask.ts';
import { holds, writeReason, type WriteReason, type WriteRoots } from './write-reasons.ts';

/** Maximum number of names in one question. For further names, the question shows only their number. */
const MAX_NAMES = 5;

/**
 * Maximum length of a name or path (characters). Longer ones are shortened in the middle, so that the dialog's
 * buttons stay visible.
 */
const MAX_LENGTH = 160;

const ABOUT_ELSEWHERE = 'Overworld has not been allowed to write to this folder yet.';
const ABOUT_HIDDEN =
  'Hidden files can change how this computer and its programs work. Allow it only if you started exactly this action.';

/** Content of a question to the person. */
interface About {
  readonly message: string;
  /** Folder to which the window may write without asking if the person ticks the checkbox. */
  readonly folder: string;
  readonly hidden: readonly string[];
}

interface WriteConsentOptions {
  /** Folders that may be written to without asking: the downloads folder, and the folders that a person has added. */
  readonly free: () => readonly string[];
  /** All folders that the window may access. */
  readonly places: () => Promise<readonly string[]>;
  readonly home: string;
  readonly ask: Ask;
}

/** Entries to be written into one folder. `names` may be paths below it, separated by `/`. */
export interface Filling {
  /** Real path of the folder. */
  readonly folder: string;
  readonly names: readonly string[];
  /** Whether a person has just chosen the folder in the system's dialog. */
  readonly chosen?: boolean;
}

/**
 * Asks a person before the window writes to folders of this computer that are not allowed yet. The page shows data
 * of a master; a compromised page could otherwise create a file that runs at the next login.
 */
export class WriteConsent {
  readonly #options: WriteConsentOptions;
  /** Real paths of folders that a person allowed until the app quits. */
  readonly #granted = new Set<string>();

  constructor(options: WriteConsentOptions) {
    this.#options = options;
  }

  /**
   * Returns whether entries may be written into a folder, where they may replace existing ones. Asks the person if
   * the folder is not allowed yet or a name is hidden.
   */
  async mayFill({ folder, names, chosen = false }: Filling): Promise<boolean> {
    const roots = await this.#roots();
    const free = chosen ? [...roots.free, folder] : roots.free;
    const reasonOf = (name: string) => writeReason(join(folder, ...name.split('/')), { ...roots, free });
    const hidden = names.filter((name) => reasonOf(name) === 'hidden');
    const reason = hidden.length > 0 ? 'hidden' : writeReason(folder, { ...roots, free });
    const allowed = await this.#confirm(reason, {
      message: `Write ${toSubject(names)} to ${shorten(folder)}?`,
      folder,
      hidden,
    });
    if (allowed && chosen) this.#grant(folder);
    return allowed;
  }

  /** Returns whether a folder may be created. Asks only for hidden folders. */
  async mayMake(path: string): Promise<boolean> {
    const reason = writeReason(path, await this.#roots());
    return this.#confirm(reason === 'hidden' ? reason : null, {
      message: `Create the folder ${shorten(basename(path))} in ${shorten(dirname(path))}?`,
      folder: dirname(path),
      hidden: [basename(path)],
    });
  }

  /**
   * Returns whether an entry may be renamed or moved. Usually, a rename within its folder needs no permission. Asks
   * the person if the entry is or becomes hidden. Treats the rename as a move if the entry contains a folder that may
   * be written to without asking.
   */
  async mayRename(from: string, to: string): Promise<boolean> {
    const roots = await this.#roots();
    const hidden = hiddenOf([from, to], roots).map((path) => basename(path));
    const moves = dirname(from) !== dirname(to) || roots.free.some((folder) => holds(from, folder));
    return this.#confirm(hidden.length > 0 ? 'hidden' : moves ? writeReason(to, roots) : null, {
      message: `Rename ${shorten(from)} to ${shorten(to)}?`,
      folder: dirname(to),
      hidden,
    });
  }

  /**
   * Returns whether entries may be moved to the trash, from which they can be restored. Asks only for hidden
   * entries.
   */
  async mayTrash(paths: readonly string[]): Promise<boolean> {
    const found = hiddenOf(paths, await this.#roots());
    const hidden = found.map((path) => basename(path));
    return this.#confirm(hidden.length > 0 ? 'hidden' : null, {
      message: `Move ${toSubject(hidden)} of ${shorten(dirname(found[0] ?? ''))} to the trash?`,
      folder: '',
      hidden,
    });
  }

  async #confirm(reason: WriteReason, { message, folder, hidden }: About): Promise<boolean> {
    if (reason === null) return true;
    const { confirmed, remember } = await this.#options.ask({
      title: 'Write to this computer',
      message,
      confirm: 'Allow',
      ...(reason === 'hidden'
        ? { detail: `Hidden: ${listed(hidden)}.\n\n${ABOUT_HIDDEN}` }
        : { detail: ABOUT_ELSEWHERE, remember: 'Do not ask again for this folder until the app quits' }),
    });
    if (remember) this.#grant(folder);
    return confirmed;
  }

  /**
   * Allows writing to a folder until the app quits. Does nothing for the home folder and its parents, because the
   * home folder contains programs that run at login.
   */
  #grant(folder: string): void {
    if (!holds(folder, this.#options.home)) this.#granted.add(folder);
  }

  async #roots(): Promise<WriteRoots> {
    const [free, places, [home = this.#options.home]] = await Promise.all([
      follow(this.#options.free()),
      this.#options.places().then((paths) => follow(paths)),
      follow([this.#options.home]),
    ]);
    // A system without a downloads folder reports the home folder, which must not be allowed.
    const narrow = free.filter((folder) => !holds(folder, home));
    return { free: [...narrow, ...this.#granted], places };
  }
}

function hiddenOf(paths: readonly string[], roots: WriteRoots): string[] {
  return paths.filter((path) => writeReason(path, roots) === 'hidden');
}

/** Creates the error for a write that the person declined. */
export function declined(path: string): OverworldError {
  return new OverworldError('LOCAL_WRITE_DECLINED', { path });
}

function follow(paths: readonly string[]): Promise<string[]> {
  return Promise.all(paths.map((path) => realpath(path).catch(() => resolve(path))));
}

function toSubject(names: readonly string[]): string {
  const [first = ''] = names;
  return names.length === 1 ? shorten(first) : `${names.length} entries`;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(shorten).join(', ');
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown;
}

/** Shortens a text to a line or two and makes invisible characters visible. */
function shorten(text: string): string {
  const visible = visibleName(text);
  if (visible.length <= MAX_LENGTH) return visible;
  const half = MAX_LENGTH / 2;
  return `${visible.slice(0, half)}…${visible.slice(-half)}`;
}
