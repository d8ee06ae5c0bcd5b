import type { Attrs } from '#master/files/sftp/protocol/packets.ts';
import type { ViewEntry, ViewFolder } from '#master/files/sftp/views/view.ts';

/** Number of entries in one answer. Such an answer has about 20 KB. */
const CHUNK_ENTRIES = 128;

/**
 * Returns an open folder whose entries are produced when a client asks for them.
 *
 * @param close cancels the production of entries; default: does nothing, for entries that are in memory
 */
export function listed(
  attrs: Attrs,
  entries: Generator<ViewEntry> | AsyncGenerator<ViewEntry>,
  close: () => void = () => undefined,
): ViewFolder {
  return { attrs, next: () => take(entries), close };
}

async function take(rest: Generator<ViewEntry> | AsyncGenerator<ViewEntry>): Promise<ViewEntry[]> {
  const some: ViewEntry[] = [];
  while (some.length < CHUNK_ENTRIES) {
    const next = await rest.next();
    if (next.done === true) break;
    some.push(next.value);
  }
  return some;
}
