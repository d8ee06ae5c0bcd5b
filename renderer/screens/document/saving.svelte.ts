import { hasCode, toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import type { Draft, Version } from '../../stores/draft.svelte.ts';
import type { FieldChange } from '../../view/form-changes.ts';

interface Options {
  readonly draft: Draft;
  /** Writes the document; answers what is saved then. */
  readonly write: (config: unknown, basedOn: string) => Promise<Version>;
  /** Reads anew what is saved: somebody else was faster. */
  readonly reload: () => Promise<void>;
  /** It is saved. */
  readonly onsaved: (changes: readonly FieldChange[]) => void;
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
    const { draft, write, onsaved } = this.#options;
    if (!draft.showAll()) return false;
    if (this.busy) return true;
    this.busy = true;
    this.error = null;
    const { changes } = draft;
    try {
      draft.begin(await write(draft.reading.document, draft.base.revision));
      onsaved(changes);
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
