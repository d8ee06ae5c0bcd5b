import { hasCode, toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import type { Draft, DocumentVersion } from '../../stores/documents/draft.svelte.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';
import type { FieldChange } from '../../view/form/form-changes.ts';
import { undoSave } from './undo-save.ts';

interface Options {
  readonly draft: Draft;
  /** Writes the document. Resolves to the saved version. */
  readonly write: (config: unknown, basedOn: string) => Promise<DocumentVersion>;
  /** Asks whether a valid draft may be written. If absent, every valid draft may be written. */
  readonly allow?: () => Promise<boolean>;
  /** Reads the saved version again because another person has saved one in the meantime. */
  readonly reload: () => Promise<void>;
  /** Called after saving. `undo` restores the previous version, unless a later version has been saved. */
  readonly onsaved: (changes: readonly FieldChange[], undo: () => void) => void;
  /** Name of the document at the start of a sentence: "Template lobby". */
  readonly what: string;
}

/**
 * Saves a draft. Sends one request at a time. Never overwrites a version that another person has saved in the
 * meantime. What is entered while a request is running stays in the draft as unsaved changes.
 */
export class Saving {
  busy = $state(false);
  error = $state.raw<OverworldError | null>(null);
  /** Whether the three-way comparison is open. */
  comparing = $state(false);
  readonly #options: Options;
  #closed = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Saves the draft. @returns false if the draft has errors, which are shown from now on */
  readonly save = async (): Promise<boolean> => {
    const { draft, write, allow, onsaved, what } = this.#options;
    if (!draft.showAll()) return false;
    if (this.busy) return true;
    this.busy = true;
    this.error = null;
    try {
      if (allow !== undefined && !(await allow())) return true;
      // The draft may have changed meanwhile.
      if (!draft.valid) return false;
      const { changes, base: before, input: sent } = draft;
      const after = await write(draft.toSave, before.revision);
      draft.continueFrom(after, sent);
      onsaved(changes, () => void undoSave({ before, after, write, what }));
    } catch (thrown) {
      await this.#fail(toOverworldError(thrown));
    } finally {
      this.busy = false;
    }
    return true;
  };

  /** Notes that the editor was closed. From now on, a failure is shown as a message at the window's edge. */
  readonly close = (): void => {
    this.#closed = true;
  };

  async #fail(failure: OverworldError): Promise<void> {
    const { reload, what } = this.#options;
    const isConflict = hasCode(failure, 'CONFIG_CONFLICT');
    if (isConflict) await reload();
    if (this.#closed)
      toasts.failed(
        new Error(`${what} could not be saved, and its changes stay in the editor: ${failure.message}`),
      );
    else if (isConflict) this.comparing = true;
    else this.error = failure;
  }
}
