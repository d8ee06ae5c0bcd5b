import { z } from 'zod';

/** An absolute path in the master's file area: `/templates/<id>/…` or `/files/…`. */
export const remotePathSchema = z.string().min(1).max(4096).startsWith('/');

/** One file or folder below a folder of the master, for comparison. */
export const manifestEntrySchema = z.strictObject({
  /** Relative to the folder asked for, with `/`. */
  path: z.string(),
  kind: z.enum(['file', 'folder', 'link']),
  bytes: z.int(),
  modifiedAt: z.int(),
  /** Unix permission bits, 0-0o7777. */
  mode: z.int(),
  /** SHA-256 of the content, hex; null for folders and links, or where hashes were not asked for. */
  hash: z.string().nullable(),
});
export type ManifestEntry = z.infer<typeof manifestEntrySchema>;

/** One place where a search found something. */
export const searchHitSchema = z.strictObject({
  path: z.string(),
  kind: z.enum(['file', 'folder', 'link']),
  bytes: z.int(),
  modifiedAt: z.int(),
  /** Where the text was found: line from 1, and that line (cut at 400 characters); empty when only names were asked for. */
  lines: z.array(z.strictObject({ line: z.int(), text: z.string() })),
});
export type SearchHit = z.infer<typeof searchHitSchema>;

/** How names that exist already are dealt with when files are copied on the master. */
export const copyConflictSchema = z.enum(['refuse', 'overwrite', 'skip', 'rename']);
export type CopyConflict = z.infer<typeof copyConflictSchema>;
