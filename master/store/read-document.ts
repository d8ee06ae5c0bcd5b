import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import {
  MAX_DOCUMENT_BYTES,
  readDocument,
  tooLargeProblem,
  type DocumentReading,
} from '#shared/config/document.ts';

/** Time for which a file must stay empty before it counts as an empty file (ms). */
const EMPTY_MS = 1_000;

/** Pause before an empty file is read again (ms). */
const READ_AGAIN_MS = 50;

/** Flag that opens a pipe without waiting for a writer. It does not exist on Windows. */
const O_NONBLOCK = (constants.O_NONBLOCK as number | undefined) ?? 0;

/**
 * Result of reading a configuration file. `revision` identifies its bytes; files with equal content have equal
 * revisions. `text` is the file's text, valid or faulty; null if the content is not text.
 */
export type FileReading<T> =
  | (DocumentReading<T> & { readonly revision: string; readonly text: string | null })
  | { readonly kind: 'absent' };

/**
 * Reads a configuration file that a person may have edited. Reads at most {@link MAX_DOCUMENT_BYTES}. Never blocks,
 * and never rejects: a file that cannot be read (a folder, a pipe, no permission) counts as faulty.
 */
export async function readDocumentFile<S extends z.ZodType>(
  schema: S,
  path: string,
): Promise<FileReading<z.infer<S>>> {
  try {
    // Without this flag, opening a pipe would wait forever for a writer, and all later changes would wait as well.
    const file = await open(path, constants.O_RDONLY | O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (!stats.isFile())
        return { ...whole('is not a file'), revision: revisionOf('not a file'), text: null };
      const { size, mtimeMs } = stats;
      if (size > MAX_DOCUMENT_BYTES) {
        const revision = revisionOf(`too large ${size} ${mtimeMs}`);
        return { ...whole(tooLargeProblem(size)), revision, text: null };
      }
      const bytes = await readFilled(file);
      return { ...readBytes(schema, bytes), revision: revisionOf(bytes) };
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { kind: 'absent' };
    const revision = revisionOf(`unreadable ${code ?? message}`);
    return { ...whole(`cannot be read: ${message}`), revision, text: null };
  }
}

/**
 * Reads a file. Many editors empty a file before they write to it. An empty file is therefore read again until it has
 * content, or has been empty for {@link EMPTY_MS}.
 */
async function readFilled(file: FileHandle): Promise<Buffer> {
  for (;;) {
    const bytes = await file.readFile();
    if (bytes.length > 0) return bytes;
    if (staysEmpty((await file.stat()).mtimeMs, Date.now())) return bytes;
    await delay(READ_AGAIN_MS);
  }
}

/**
 * Reports whether an empty file counts as empty, and not as a file to which an editor is about to write. Right after a
 * change, the time of a file may be a fraction of a millisecond ahead of the clock. If it is far ahead, the clock was
 * set back, and the file was emptied at an unknown time.
 *
 * @param changedAt when the file was last changed (ms since epoch)
 * @param now ms since epoch
 */
export function staysEmpty(changedAt: number, now: number): boolean {
  return Math.abs(now - changedAt) >= EMPTY_MS;
}

function readBytes<S extends z.ZodType>(
  schema: S,
  bytes: Buffer,
): DocumentReading<z.infer<S>> & { readonly text: string | null } {
  try {
    // `ignoreBOM` keeps the byte order mark in the text, so that readDocument can report it.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { ...readDocument(schema, text), text };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { ...whole('contains bytes that are not UTF-8; save it as UTF-8'), text: null };
  }
}

function whole(problem: string): Extract<DocumentReading<never>, { kind: 'faulty' }> {
  const none = { value: null, allowed: null, default: null, line: null };
  return { kind: 'faulty', problems: [{ field: '', problem, ...none }] };
}

/** Returns the revision of a document, which identifies its bytes. */
export function revisionOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}
