import { hasCode, toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import type { Draft, Version } from '../../stores/documents/draft.svelte.ts';
import type { FieldChange } from '../../view/form/form-changes.ts';
import { undoSave } from './undo-save.ts';

interface Options {
  readonly draft: Draft;
  /** Writes the document; answers what is saved then. */
  readonly write: (config: unknown, basedOn: string) => Promise<Version>;
  /** Reads anew what is saved: somebody else was faster. */
  readonly reload: () => Promise<void>;
  /** It is saved. `undo` puts back what was there before, unless somebody saved another version since. */
  readonly onsaved: (changes: readonly FieldChange[], undo: () => void) => void;
  /** What the document is, at the beginning of a sentence: "Template lobby". */
  readonly what: string;
}

/** Saving a draft: one at a time, never over what somebody else saved in the meantime. */
export class Saving {
  busy = $state(false);
  error = $state.raw<OverworldError | null>(null);
  /** The three-way view is open. */
  comparing = $state(false);
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** @returns false when the draft has mistakes: they are shown from now on */
  readonly save = async (): Promise<boolean> => {
    const { draft, write, onsaved, what } = this.#options;
    if (!draft.showAll()) return false;
    if (this.busy) return true;
    this.busy = true;
    this.error = null;
    const { changes, base: before } = draft;
    try {
      const after = await write(draft.reading.document, before.revision);
      draft.begin(after);
      onsaved(changes, () => void undoSave({ before, after, write, what }));
    } catch (thrown) {
      await this.#fail(toOverworldError(thrown));
    } finally {
      this.busy = false;
    }
    return true;
  };

  async #fail(failure: OverworldError): Promise<void> {
    if (hasCode(failure, 'CONFIG_CONFLICT')) {
      await this.#options.reload();
      this.comparing = true;
    } else {
      this.error = failure;
    }
  }
}
