import { posix } from 'node:path';
import type { SearchHit } from '#shared/model/files.ts';
import type { FileArea } from '../sftp/jail/file-area.ts';
import { MessageBudget } from './message-budget.ts';
import { namePattern } from './name-pattern.ts';
import { openToRead, pieces } from '../open-to-read.ts';
import type { Work } from './tasks.ts';
import { TextFinder, type FoundLines } from './text-finder.ts';
import { toPath, toPlace, walk, type WalkEntry } from '../walk.ts';

/**
 * Maximum size of a file whose content is searched (bytes; contract with the app). People rarely write larger files
 * by hand.
 */
const MAX_TEXT_BYTES = 4 * 1_048_576;

export interface SearchRequest {
  readonly folder: string;
  /** Substring or mask of the names to find. An empty text matches all names. */
  readonly name: string;
  /** Text to find in text files. Null to search names only. */
  readonly text: string | null;
  readonly caseSensitive: boolean;
  /** Maximum number of hits: of lines, or of files and folders if only names are searched. */
  readonly limit: number;
}

export interface SearchResult {
  readonly hits: SearchHit[];
  /** Whether there are more hits than the result contains. */
  readonly more: boolean;
  /** Number of files and folders that were examined. */
  readonly searched: number;
}

/**
 * Searches for files and folders by name. If `text` is set, returns the lines of text files that contain this text.
 *
 * @throws OverworldError FILE_NOT_FOUND, FILE_FORBIDDEN, TOO_MANY (files and folders); the signal's abort reason
 */
export async function search(area: FileArea, request: SearchRequest, work: Work): Promise<SearchResult> {
  const fits = namePattern(request.name, request.caseSensitive);
  const hits = new Hits(request.limit);
  let searched = 0;
  for await (const found of walk(area, toPlace(request.folder), work.signal)) {
    searched += 1;
    work.progress.file();
    if (!fits(posix.basename(found.path))) continue;
    const finder =
      request.text === null ? null : new TextFinder({ ...request, text: request.text, limit: hits.left });
    const lines = finder === null ? { lines: [], more: false } : await findIn(area, { found, finder }, work);
    if (lines !== null && !hits.add(found, lines)) break;
  }
  return { hits: hits.all, more: hits.more, searched };
}

/** Collects hits up to the requested number and the size of one message. */
class Hits {
  readonly all: SearchHit[] = [];
  readonly #room = new MessageBudget();
  left: number;
  more = false;

  constructor(limit: number) {
    this.left = limit;
  }

  /**
   * Adds a hit.
   *
   * @returns false if the limit is reached
   */
  add({ kind, place, stats }: WalkEntry, { lines, more }: FoundLines): boolean {
    if (kind === 'other') return true;
    const bytes = kind === 'file' ? stats.size : 0;
    const hit = { path: toPath(place), kind, bytes, modifiedAt: Math.round(stats.mtimeMs), lines };
    if (this.left === 0 || !this.#room.take(hit)) {
      this.more = true;
      return false;
    }
    this.all.push(hit);
    this.left -= Math.max(1, lines.length);
    this.more = more;
    return !more;
  }
}

/**
 * Searches the lines of one file.
 *
 * @returns null if the file does not contain the text, is not a text file, is too large, or cannot be opened, for
 *   example because it has vanished
 */
async function findIn(
  area: FileArea,
  { found, finder }: { readonly found: WalkEntry; readonly finder: TextFinder },
  { signal, progress }: Work,
): Promise<FoundLines | null> {
  if (found.kind !== 'file' || found.stats.size > MAX_TEXT_BYTES) return null;
  const file = await openToRead(area, found.place).catch(() => null);
  if (file === null) return null;
  try {
    let bytes = 0;
    for await (const piece of pieces(file, signal)) {
      bytes += piece.length;
      progress.bytes(piece.length);
      if (bytes > MAX_TEXT_BYTES || !finder.push(piece)) return null;
    }
    const result = finder.end();
    return result === null || (result.lines.length === 0 && !result.more) ? null : result;
  } finally {
    await file.close();
  }
}
