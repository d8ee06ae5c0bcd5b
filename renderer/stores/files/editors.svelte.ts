import { hasCode, toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import type { OpenedFile } from '#shared/ipc/contract.ts';
import { request } from '../../bridge/bridge.ts';
import { registerUnsaved } from '../documents/unsaved.svelte.ts';

/**
 * A text file of the master that is open in the editor. All its texts have plain `\n` line ends, as in the editor.
 * Saving restores CRLF line ends.
 */
export class OpenDocument {
  readonly path: string;
  /** The text in the editor. */
  text = $state('');
  /** The file as last read or saved. Null before the first read. */
  base = $state.raw<OpenedFile | null>(null);
  /**
   * The current version of the file if another person has changed it since `base` was read. Null if no such change is
   * known.
   */
  theirs = $state.raw<OpenedFile | null>(null);
  /** Whether another person has deleted the file since `base` was read. */
  isGone = $state(false);
  loading = $state(false);
  saving = $state(false);
  error = $state.raw<OverworldError | null>(null);
  /** Line to scroll to, from 1. Each request sets a new object, so that the same line can be requested again. */
  goTo = $state.raw<{ readonly line: number } | null>(null);

  /** Texts of saves since `base` was read. The outcome of these saves is unknown. */
  #sent: readonly string[] = [];

  constructor(path: string) {
    this.path = path;
  }

  /** Whether there are unsaved changes. */
  get dirty(): boolean {
    return this.base !== null && (this.isGone || this.text !== this.base.text);
  }

  /** Reads the file from the master and drops unsaved changes. If the file was deleted, keeps the text. */
  readonly load = async (): Promise<void> => {
    this.loading = true;
    this.error = null;
    try {
      this.#take(withPlainLineEnds(await request('files.open', { path: this.path })));
    } catch (thrown) {
      if (this.base === null || !this.#noteGone(thrown)) this.error = toOverworldError(thrown);
    } finally {
      this.loading = false;
    }
  };

  /**
   * Saves the file. If another person has changed the file, writes nothing and sets `theirs` to the current version.
   * If another person has deleted the file, writes nothing and sets `isGone`.
   *
   * @param over whether to overwrite the version in `theirs`, or to create a deleted file again; a later version of a
   *   file is not overwritten
   * @returns whether the file is saved
   */
  readonly save = async (over = false): Promise<boolean> => {
    if (this.base === null || this.saving) return false;
    this.saving = true;
    this.error = null;
    try {
      if (over && this.isGone && (await this.#isBack())) return false;
      return await this.#write(over ? (this.theirs?.version ?? null) : this.base.version);
    } catch (thrown) {
      this.error = toOverworldError(thrown);
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

  /** Saves the text if the file still has this version (null: any version). @throws OverworldError */
  async #write(version: string | null): Promise<boolean> {
    const { text } = this;
    this.#sent = [...this.#sent, text];
    try {
      const saved = withPlainLineEnds(await request('files.save', { path: this.path, text, version }));
      this.#setBase(saved);
      return true;
    } catch (thrown) {
      if (version !== null && this.#noteGone(thrown)) return false;
      if (!hasCode(thrown, 'FILE_CHANGED')) throw thrown;
    }
    const current = await this.#readCurrent();
    if (current === null) return false;
    if (!this.#sent.includes(current.text)) {
      this.theirs = current;
      return false;
    }
    // An earlier save was stored, but its answer was lost. So the change is the person's own.
    this.#setBase(current);
    return current.text === text || this.#write(current.version);
  }

  /** Reads the version on the master. Null if the file was deleted. @throws OverworldError */
  async #readCurrent(): Promise<OpenedFile | null> {
    try {
      return withPlainLineEnds(await request('files.open', { path: this.path }));
    } catch (thrown) {
      if (this.#noteGone(thrown)) return null;
      throw thrown;
    }
  }

  /** Sets `theirs` if a deleted file exists again. @returns whether it exists @throws OverworldError */
  async #isBack(): Promise<boolean> {
    this.theirs = await this.#readCurrent();
    this.isGone = this.theirs === null;
    return !this.isGone;
  }

  /** Sets `isGone` if the error says that the file does not exist. @returns whether it says that */
  #noteGone(thrown: unknown): boolean {
    if (!hasCode(thrown, 'FILE_NOT_FOUND')) return false;
    this.isGone = true;
    this.theirs = null;
    return true;
  }

  #take(opened: OpenedFile): void {
    this.#setBase(opened);
    this.text = opened.text;
  }

  #setBase(base: OpenedFile): void {
    this.base = base;
    this.theirs = null;
    this.isGone = false;
    this.#sent = [];
  }
}

function withPlainLineEnds(opened: OpenedFile): OpenedFile {
  return { ...opened, text: opened.text.replaceAll(/\r\n?/g, '\n') };
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
