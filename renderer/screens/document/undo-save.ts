import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { Version } from '../../stores/documents/draft.svelte.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';

/** A document that was saved, and how to write it. */
interface Saved {
  /** What it was before. */
  readonly before: Version;
  /** What was saved. */
  readonly after: Version;
  readonly write: (config: unknown, basedOn: string) => Promise<unknown>;
  /** "Template lobby". */
  readonly what: string;
}

/** Puts the former document back, unless somebody saved another one since; says so either way. */
export async function undoSave({ before, after, write, what }: Saved): Promise<void> {
  try {
    await write(before.config, after.revision);
    toasts.done(`${what} is as before`);
  } catch (thrown) {
    toasts.failed(toOverworldError(thrown));
  }
}
