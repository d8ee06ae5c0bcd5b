import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { DocumentVersion } from '../../stores/documents/draft.svelte.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';

/** A saved document and the function that writes it. */
interface Saved {
  /** The previous version. */
  readonly before: DocumentVersion;
  /** The saved version. */
  readonly after: DocumentVersion;
  readonly write: (config: unknown, basedOn: string) => Promise<unknown>;
  /** Name of the document at the start of a sentence: "Template lobby". */
  readonly what: string;
}

/** Restores the previous document, unless a later version has been saved. Shows the result in both cases. */
export async function undoSave({ before, after, write, what }: Saved): Promise<void> {
  try {
    await write(before.config, after.revision);
    toasts.done(`${what} is reset to its previous values`);
  } catch (thrown) {
    toasts.failed(toOverworldError(thrown));
  }
}
