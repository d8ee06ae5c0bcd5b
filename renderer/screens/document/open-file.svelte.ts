import { toOverworldError } from '#shared/errors/overworld-error.ts';
import { untrack } from 'svelte';
import type { Draft } from '../../stores/documents/draft.svelte.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';

/**
 * Part of a route that opens the document's file in the editor. Other routes have the name of a field in this place,
 * and no field is called `on-disk`.
 */
export const ON_DISK = 'on-disk';

interface Options {
  readonly draft: Draft;
  /** Reads the file. */
  readonly read: () => Promise<{ readonly text: string; readonly revision: string }>;
  /** Returns why the file cannot be opened now. Undefined if it can. */
  readonly refusal: () => string | undefined;
}

/** Opens a document's faulty file as stored on disk, so that a person can correct it. */
export class FileOpening {
  busy = $state(false);
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  get opened(): boolean {
    return this.#options.draft.opened;
  }

  /** Why the file cannot be opened now, for example because unsaved input would be lost. Undefined if it can. */
  get refusal(): string | undefined {
    const typed = 'You have unsaved changes; save or discard them first';
    return this.#options.refusal() ?? (this.#options.draft.dirty ? typed : undefined);
  }

  readonly open = async (): Promise<void> => {
    if (this.busy || this.refusal !== undefined) return;
    this.busy = true;
    try {
      const { text, revision } = await this.#options.read();
      this.#options.draft.openText(text, revision);
    } catch (thrown) {
      toasts.failed(toOverworldError(thrown));
    } finally {
      this.busy = false;
    }
  };
}

/**
 * Opens the file if the route asks for it. Must be called during the initialisation of a component.
 *
 * @param part the part of the route that names a field or the file
 * @param onarrived removes that part from the route
 */
export function openWhenSent(file: FileOpening, part: () => string | undefined, onarrived: () => void): void {
  $effect(() => {
    if (part() !== ON_DISK) return;
    untrack(() => {
      void file.open();
      onarrived();
    });
  });
}
