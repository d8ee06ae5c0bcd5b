import { hasCode, toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import type { OpenedFile } from '#shared/ipc/contract.ts';
import { request } from '../../bridge/bridge.ts';
import { tellsUnsaved } from '../documents/unsaved.svelte.ts';

/** A text file of the master that is being edited. */
export class OpenDocument {
  readonly path: string;
  /** As it is in the editor. */
  text = $state('');
  /** As it was last read or saved; null until then. */
  base = $state.raw<OpenedFile | null>(null);
  /** What somebody else made of it meanwhile; null while nobody did. */
  theirs = $state.raw<OpenedFile | null>(null);
  loading = $state(false);
  saving = $state(false);
  error = $state.raw<OverworldError | null>(null);
  /** Line to show, from 1; a new object each time it is asked for. */
  goTo = $state.raw<{ readonly line: number } | null>(null);

  constructor(path: string) {
    this.path = path;
  }

  /** There are changes that are not saved. */
  get dirty(): boolean {
    return this.base !== null && this.text !== this.base.text;
  }

  /** Reads it from the master; what was typed is lost. */
  readonly load = async (): Promise<void> => {
    this.loading = true;
    this.error = null;
    try {
      this.#take(await request('files.open', { path: this.path }));
    } catch (thrown) {
      this.error = toOverworldError(thrown);
    } finally {
      this.loading = false;
    }
  };

  /**
   * Writes it back. Changed by somebody else meanwhile, nothing is written and `theirs` is what is there now.
   *
   * @param over writes over `theirs`; changed once more since, that too is refused
   * @returns whether it is saved
   */
  readonly save = async (over = false): Promise<boolean> => {
    if (this.base === null || this.saving) return false;
    const { text } = this;
    this.saving = true;
    this.error = null;
    try {
      this.base = await request('files.save', {
        path: this.path,
        text,
        version: over ? (this.theirs?.version ?? null) : this.base.version,
      });
      this.theirs = null;
      return true;
    } catch (thrown) {
      await this.#explain(thrown);
      return false;
    } finally {
      this.saving = false;
    }
  };

  /** Takes what somebody else wrote in place of what was typed. */
  readonly takeTheirs = (): void => {
    if (this.theirs !== null) this.#take(this.theirs);
  };

  /** Goes on with a text made of both; the next save is based on theirs. */
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
      this.theirs = await request('files.open', { path: this.path });
    } catch (failed) {
      // It was not only changed: it is gone, or no text any more.
      this.error = toOverworldError(failed);
    }
  }

  #take(opened: OpenedFile): void {
    this.base = opened;
    this.text = opened.text;
    this.theirs = null;
  }
}

/** The text files that are open, in the order of their tabs. Kept while the window is open: leaving the editor loses nothing. */
class Editors {
  list = $state.raw<readonly OpenDocument[]>([]);

  get unsaved(): readonly OpenDocument[] {
    return this.list.filter(({ dirty }) => dirty);
  }

  readonly get = (path: string): OpenDocument | undefined => this.list.find((one) => one.path === path);

  /** Opens a file, unless it is open. Call outside of derived values. */
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

  /** Closes a tab; what was not saved is lost. @returns the path of the tab beside it, null when none is left */
  readonly close = (path: string): string | null => {
    const at = this.list.findIndex((one) => one.path === path);
    this.list = this.list.filter((one) => one.path !== path);
    return (this.list[at] ?? this.list[at - 1])?.path ?? null;
  };
}

export const editors = new Editors();

tellsUnsaved(() => editors.unsaved.map(({ path }) => `file ${path}`));
