import { hasCode, toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import { isRefusal } from '#shared/errors/refusal.ts';
import type { OpenedFile } from '#shared/ipc/contract.ts';
import { withShapeOf } from '#shared/text/text-shape.ts';
import { request } from '../../bridge/bridge.ts';
import { registerUnsaved } from '../documents/unsaved.svelte.ts';

/** A version of a file. Its text has plain `\n` line ends. */
interface FileVersion extends OpenedFile {
  /** The text with the line ends that it has on the master. */
  readonly exact: string;
}

/** A failed attempt to read or to save a file. */
interface Failure {
  readonly action: 'load' | 'save';
  readonly error: OverworldError;
}

/**
 * A text file of the master that is open in the editor. All its texts have plain `\n` line ends, as in the editor.
 * Saving restores CRLF line ends.
 */
export class OpenDocument {
  readonly path: string;
  /** The text in the editor. */
  text = $state('');
  /** The file as last read or saved. Null before the first read. */
  base = $state.raw<FileVersion | null>(null);
  /**
   * The current version of the file if another person has changed it since `base` was read. Null if no such change is
   * known.
   */
  theirs = $state.raw<FileVersion | null>(null);
  /** Whether the file was deleted, moved or renamed since `base` was read. `theirs` is null then. */
  isGone = $state(false);
  loading = $state(false);
  saving = $state(false);
  /** The last attempt to read or to save the file, if it has failed. */
  failure = $state.raw<Failure | null>(null);
  /** Line to scroll to, from 1. Each request sets a new object, so that the same line can be requested again. */
  goTo = $state.raw<{ readonly line: number } | null>(null);

  /** Texts of saves since `base` was read. The outcome of these saves is unknown. */
  #sent = $state.raw<readonly string[]>([]);

  constructor(path: string) {
    this.path = path;
  }

  /** Whether there are unsaved changes, or may be because the outcome of a save is unknown. */
  get dirty(): boolean {
    if (this.base === null) return false;
    return this.isGone || this.text !== this.base.text || this.#sent.length > 0;
  }

  /**
   * Reads the file from the master and drops unsaved changes. If the file was deleted, keeps the text. Does nothing
   * while the file is read or saved.
   */
  readonly load = async (): Promise<void> => {
    if (this.loading || this.saving) return;
    this.loading = true;
    this.failure = null;
    try {
      this.#take(await this.#read());
    } catch (thrown) {
      if (this.base === null || !this.#noteGone(thrown)) {
        this.failure = { action: 'load', error: toOverworldError(thrown) };
      }
    } finally {
      this.loading = false;
    }
  };

  /**
   * Saves the file. If another person has changed the file, writes nothing and sets `theirs` to the current version.
   * If the file no longer exists, writes nothing and sets `isGone`; the next save creates the file again. Does
   * nothing while the file is read or saved.
   *
   * @param over whether to overwrite the version in `theirs`; a later version is not overwritten
   * @returns whether the file is saved
   */
  readonly save = async (over = false): Promise<boolean> => {
    if (this.base === null || this.loading || this.saving) return false;
    this.saving = true;
    this.failure = null;
    try {
      return await this.#write(over && this.theirs !== null ? this.theirs : this.base);
    } catch (thrown) {
      this.failure = { action: 'save', error: toOverworldError(thrown) };
      return false;
    } finally {
      this.saving = false;
    }
  };

  /** Replaces the edited text with the text of `theirs`. */
  readonly takeTheirs = (): void => {
    if (this.theirs !== null) this.#take(this.theirs);
  };

  /** Replaces the edited text with a text that a person has merged with `theirs`. `theirs` becomes the new `base`. */
  readonly takeMerged = (text: string): void => {
    if (this.theirs === null) return;
    this.#setBase(this.theirs);
    this.text = text;
  };

  /** Replaces a version of the file with the text, or creates the deleted file like it. @throws OverworldError */
  async #write(old: FileVersion): Promise<boolean> {
    const { path, text, isGone } = this;
    const sent = this.#sent;
    this.#sent = [...sent, text];
    try {
      const save = isGone
        ? { text: withShapeOf(old.exact, text), version: null, mode: old.mode }
        : { text, version: old.version };
      this.#setBase(toVersion(await request('files.save', { path, ...save })));
      return true;
    } catch (thrown) {
      if (isRefusal(thrown)) this.#sent = sent;
      if (!isGone && this.#noteGone(thrown)) return false;
      if (!hasCode(thrown, 'FILE_CHANGED')) throw thrown;
    }
    const current = await this.#readCurrent();
    if (current === null) return false;
    if (current.text !== text && !this.#sent.includes(current.text)) {
      this.theirs = current;
      this.isGone = false;
      return false;
    }
    // An earlier save was stored, but its answer was lost. So the change is the person's own.
    this.#setBase(current);
    return current.text === text || this.#write(current);
  }

  async #read(): Promise<FileVersion> {
    return toVersion(await request('files.open', { path: this.path }));
  }

  /** Reads the version on the master. Null if the file no longer exists. @throws OverworldError */
  async #readCurrent(): Promise<FileVersion | null> {
    try {
      return await this.#read();
    } catch (thrown) {
      if (this.#noteGone(thrown)) return null;
      throw thrown;
    }
  }

  /** Sets `isGone` if the error says that the file does not exist. @returns whether it says that */
  #noteGone(thrown: unknown): boolean {
    if (!hasCode(thrown, 'FILE_NOT_FOUND')) return false;
    this.isGone = true;
    this.theirs = null;
    return true;
  }

  #take(opened: FileVersion): void {
    this.#setBase(opened);
    this.text = opened.text;
  }

  #setBase(base: FileVersion): void {
    this.base = base;
    this.theirs = null;
    this.isGone = false;
    this.#sent = [];
  }
}

function toVersion(opened: OpenedFile): FileVersion {
  return { ...opened, text: opened.text.replaceAll(/\r\n?/g, '\n'), exact: opened.text };
}

/**
 * The open text files in the order of their tabs. They exist while the window is open, so leaving the editor loses
 * nothing.
 */
class Editors {
  list = $state.raw<readonly OpenDocument[]>([]);

  get unsaved(): readonly OpenDocument[] {
    return this.list.filter(({ dirty }) => dirty);
  }

  readonly get = (path: string): OpenDocument | undefined => this.list.find((one) => one.path === path);

  /**
   * Opens a file, or returns the file if it is already open. Must not be called in derived values, because these must
   * not change state.
   *
   * @param line line to scroll to, from 1
   */
  readonly open = (path: string, line?: number): OpenDocument => {
    let found = this.get(path);
    if (found === undefined) {
      found = new OpenDocument(path);
      this.list = [...this.list, found];
      void found.load();
    }
    if (line !== undefined) found.goTo = { line };
    return found;
  };

  /** Closes a tab and drops unsaved changes. @returns the path of the neighbouring tab; null if no tab is left */
  readonly close = (path: string): string | null => {
    const at = this.list.findIndex((one) => one.path === path);
    this.list = this.list.filter((one) => one.path !== path);
    return (this.list[at] ?? this.list[at - 1])?.path ?? null;
  };
}

export const editors = new Editors();

registerUnsaved(() => editors.unsaved.map(({ path }) => `file ${path}`));
