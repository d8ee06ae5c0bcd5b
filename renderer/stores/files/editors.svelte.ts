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
  loading = $state(false);
  saving = $state(false);
  error = $state.raw<OverworldError | null>(null);
  /** Line to scroll to, from 1. Each request sets a new object, so that the same line can be requested again. */
  goTo = $state.raw<{ readonly line: number } | null>(null);

  constructor(path: string) {
    this.path = path;
  }

  /** Whether there are unsaved changes. */
  get dirty(): boolean {
    return this.base !== null && this.text !== this.base.text;
  }

  /** Reads the file from the master and drops unsaved changes. */
  readonly load = async (): Promise<void> => {
    this.loading = true;
    this.error = null;
    try {
      this.#take(withPlainLineEnds(await request('files.open', { path: this.path })));
    } catch (thrown) {
      this.error = toOverworldError(thrown);
    } finally {
      this.loading = false;
    }
  };

  /**
   * Saves the file. If another person has changed the file, writes nothing and sets `theirs` to the current version.
   *
   * @param over whether to overwrite the version in `theirs`; a later version is not overwritten
   * @returns whether the file is saved
   */
  readonly save = async (over = false): Promise<boolean> => {
    if (this.base === null || this.saving) return false;
    const { text } = this;
    this.saving = true;
    this.error = null;
    try {
      const version = over ? (this.theirs?.version ?? null) : this.base.version;
      this.base = withPlainLineEnds(await request('files.save', { path: this.path, text, version }));
      this.theirs = null;
      return true;
    } catch (thrown) {
      await this.#explain(thrown);
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
    this.base = this.theirs;
    this.theirs = null;
    this.text = text;
  };

  async #explain(thrown: unknown): Promise<void> {
    if (!hasCode(thrown, 'FILE_CHANGED')) {
      this.error = toOverworldError(thrown);
      return;
    }
    try {
      this.theirs = withPlainLineEnds(await request('files.open', { path: this.path }));
    } catch (failed) {
      // The other version cannot be shown, for example because the file was deleted or is no longer a text.
      this.error = toOverworldError(failed);
    }
  }

  #take(opened: OpenedFile): void {
    this.base = opened;
    this.text = opened.text;
    this.theirs = null;
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
