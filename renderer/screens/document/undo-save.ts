import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { DocumentVersion } from '../../stores/documents/draft.svelte.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';

/** A saved document and how to write it. */
interface Saved {
  /** The previous version. */
  readonly before: DocumentVersion;
  /** The saved version. */
  readonly after: DocumentVersion;
  readonly write: (config: unknown, basedOn: string) => Promise<unknown>;
  /** "Template lobby". */
  readonly what: string;
}

/** Restores the previous document, unless another version was saved since. Shows the result either way. */
export async function undoSave({ before, after, write, what }: Saved): Promise<void> {
  try {
    await write(before.config, after.revision);
    toasts.done(`${what} is reset to its previous values`);
  } catch (thrown) {
    toasts.failed(toOverworldError(thrown));
  }
}
