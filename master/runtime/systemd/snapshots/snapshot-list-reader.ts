import { z } from 'zod';
import { LineSplitter } from '#shared/node/line-splitter.ts';
import { isPathInside, type PersistentFile } from '#master/templates/revisions/manifest.ts';
import type { SnapshotFiles } from '../../runtime.ts';

/** Maximum number of persistent files of a service (tool/volumes/snapshot.py). */
const MAX_FILES = 200_000;

/**
 * Maximum size of a list (bytes). The tool accepts paths of 32 MiB as JSON; everything else takes at most 160 bytes
 * for each file. The last line, with the skipped paths, is shorter than {@link MAX_LINE_BYTES}.
 */
const MAX_LIST_BYTES = 32 * 1_048_576 + MAX_FILES * 160 + 4 * 1_048_576;

/** Maximum length of a line (bytes): 100 paths, in which each character may take 6 bytes. */
const MAX_LINE_BYTES = 4 * 1_048_576;

/**
 * Line of a file: path, size, mode, time of the last change (ms since epoch) and sha256. The path is checked, because
 * an attacker may control the node.
 */
const fileLine = z
  .tuple([
    z
      .string()
      .max(4096)
      .refine((path) => isPathInside(path)),
    z.int().nonnegative(),
    z.int().min(0).max(0o777),
    z.number(),
    z.string().regex(/^[0-9a-f]{64}$/),
  ])
  .transform(([path, size, mode, modifiedAtMs, hash]): PersistentFile => ({
    path,
    size,
    mode,
    modifiedAtMs,
    hash,
  }));

/** Last line of a list. */
const endLine = z.strictObject({ skipped: z.array(z.string()).max(100) });

/**
 * Reads the list of files of a snapshot (tool/volumes/send.py) from pieces. The list has one line of JSON for each
 * file, and a last line with the skipped paths. The size of the list is limited, because the node is not trusted.
 */
export class SnapshotListReader {
  readonly #lines = new LineSplitter(MAX_LINE_BYTES);
  readonly #files: PersistentFile[] = [];
  #bytes = 0;
  #list: SnapshotFiles | null = null;

  /** The list; null until it is complete. */
  get list(): SnapshotFiles | null {
    return this.#list;
  }

  /** Adds a piece. Throws an Error if the list is too long or not valid. */
  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_LIST_BYTES) throw new Error('the list of its persistent files is too long');
    this.#lines.add(chunk);
    for (let line = this.#lines.next(); line !== null; line = this.#lines.next()) {
      if (line === 'too-long') throw new Error('a line of the list of its persistent files is too long');
      this.#take(parseJson(line));
    }
  }

  #take(line: unknown): void {
    if (this.#list !== null) throw new Error('the list of its persistent files continues after its end');
    if (!Array.isArray(line)) {
      this.#list = { files: this.#files, skipped: parsed(endLine, line).skipped };
      return;
    }
    if (this.#files.length >= MAX_FILES) throw new Error(`it has more than ${MAX_FILES} persistent files`);
    this.#files.push(parsed(fileLine, line));
  }
}

function parsed<T>(schema: z.ZodType<T>, line: unknown): T {
  const { data, error } = schema.safeParse(line);
  if (data === undefined)
    throw new Error(`unexpected line in the list of its files: ${error?.message ?? ''}`);
  return data;
}

function parseJson(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
}
