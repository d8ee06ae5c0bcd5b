import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { visibleName } from '#shared/text/visible-name.ts';
import type { Ask } from '../window/ask.ts';
import { holds, writeReason, type WriteReason, type WriteRoots } from './write-reasons.ts';

/** Names told in one question; the rest is counted. */
const MAX_NAMES = 5;

/** Longer names and paths are cut in their middle: a dialog must show its buttons. */
const MAX_LENGTH = 160;

const ABOUT_ELSEWHERE = 'Nobody has chosen this folder for Overworld to write to yet.';
const ABOUT_HIDDEN =
  'Hidden files can set what this computer and its programs do. Allow it only when you have asked for exactly this.';

/** What a question is about. */
interface About {
  readonly message: string;
  /** That is granted by the tick. */
  readonly folder: string;
  readonly hidden: readonly string[];
}

interface WriteConsentOptions {
  /** Folders that may be written to without a question: the downloads folder, and those a person added. */
  readonly free: () => readonly string[];
  /** All that the window may look into. */
  readonly places: () => Promise<readonly string[]>;
  readonly home: string;
  readonly ask: Ask;
}

/** What would be written: entries of one folder. `names` may be paths below it, with `/`. */
export interface Filling {
  /** Real path. */
  readonly folder: string;
  readonly names: readonly string[];
  /** A person has just chosen the folder in a dialog of the system. */
  readonly chosen?: boolean;
}

/**
 * Asks a person before the window writes to this computer where nobody has allowed it yet: the page shows what a master
 * sends, and whoever got hold of it could else drop a file that runs at the next login.
 */
export class WriteConsent {
  readonly #options: WriteConsentOptions;
  /** Given by a person for as long as the app runs. Real paths. */
  readonly #granted = new Set<string>();

  constructor(options: WriteConsentOptions) {
    this.#options = options;
  }

  /** True when entries may be written into a folder, over others too. */
  async mayFill({ folder, names, chosen = false }: Filling): Promise<boolean> {
    const roots = await this.#roots();
    const free = chosen ? [...roots.free, folder] : roots.free;
    const reasonOf = (name: string) => writeReason(join(folder, ...name.split('/')), { ...roots, free });
    const hidden = names.filter((name) => reasonOf(name) === 'hidden');
    const reason = hidden.length > 0 ? 'hidden' : writeReason(folder, { ...roots, free });
    const allowed = await this.#confirm(reason, {
      message: `Write ${toSubject(names)} to ${shorten(folder)}?`,
      ...{ folder, hidden },
    });
    if (allowed && chosen) this.#grant(folder);
    return allowed;
  }

  /** True when a folder may be made: a hidden one is asked for, others are harmless. */
  async mayMake(path: string): Promise<boolean> {
    const reason = writeReason(path, await this.#roots());
    return this.#confirm(reason === 'hidden' ? reason : null, {
      message: `Make the folder ${shorten(basename(path))} in ${shorten(dirname(path))}?`,
      ...{ folder: dirname(path), hidden: [basename(path)] },
    });
  }

  /**
   * True when an entry may get another path. Under a new name in its own folder it is what it was, unless it is or gets
   * hidden, or holds what could be filled freely.
   */
  async mayRename(from: string, to: string): Promise<boolean> {
    const roots = await this.#roots();
    const hidden = hiddenOf([from, to], roots).map((path) => basename(path));
    const moves = dirname(from) !== dirname(to) || roots.free.some((folder) => holds(from, folder));
    return this.#confirm(hidden.length > 0 ? 'hidden' : moves ? writeReason(to, roots) : null, {
      message: `Rename ${shorten(from)} to ${shorten(to)}?`,
      ...{ folder: dirname(to), hidden },
    });
  }

  /** True when entries may be put into the trash, from which they can be taken back: hidden ones are asked for. */
  async mayTrash(paths: readonly string[]): Promise<boolean> {
    const found = hiddenOf(paths, await this.#roots());
    const hidden = found.map((path) => basename(path));
    return this.#confirm(hidden.length > 0 ? 'hidden' : null, {
      message: `Move ${toSubject(hidden)} of ${shorten(dirname(found[0] ?? ''))} to the trash?`,
      ...{ folder: '', hidden },
    });
  }

  async #confirm(reason: WriteReason, { message, folder, hidden }: About): Promise<boolean> {
    if (reason === null) return true;
    const { confirmed, remember } = await this.#options.ask({
      ...{ title: 'Write to this computer', message, confirm: 'Allow' },
      ...(reason === 'hidden'
        ? { detail: `Hidden: ${listed(hidden)}.\n\n${ABOUT_HIDDEN}` }
        : { detail: ABOUT_ELSEWHERE, remember: 'Do not ask again for this folder until the app ends' }),
    });
    if (remember) this.#grant(folder);
    return confirmed;
  }

  /** Not the home folder, or one around it: all that runs at a login is in it. */
  #grant(folder: string): void {
    if (!holds(folder, this.#options.home)) this.#granted.add(folder);
  }

  async #roots(): Promise<WriteRoots> {
    const [free, places, [home = this.#options.home]] = await Promise.all([
      follow(this.#options.free()),
      this.#options.places().then((paths) => follow(paths)),
      follow([this.#options.home]),
    ]);
    // Where a system has no folder for downloads it names the home folder.
    const narrow = free.filter((folder) => !holds(folder, home));
    return { free: [...narrow, ...this.#granted], places };
  }
}

function hiddenOf(paths: readonly string[], roots: WriteRoots): string[] {
  return paths.filter((path) => writeReason(path, roots) === 'hidden');
}

/** Refuses what a person did not allow. */
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

/** As it can be seen, not longer than a line or two. */
function shorten(text: string): string {
  const visible = visibleName(text);
  if (visible.length <= MAX_LENGTH) return visible;
  const half = MAX_LENGTH / 2;
  return `${visible.slice(0, half)}…${visible.slice(-half)}`;
}
