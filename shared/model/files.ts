import { z } from 'zod';

/** An absolute path in the master's file area: `/templates/<id>/…` or `/files/…`. */
export const remotePathSchema = z.string().min(1).max(4096).startsWith('/');

/** One file or folder below a folder of the master, used to compare folders. */
export const manifestEntrySchema = z.strictObject({
  /** Path relative to the requested folder, separated by `/`. */
  path: z.string(),
  kind: z.enum(['file', 'folder', 'link']),
  bytes: z.int(),
  modifiedAt: z.int(),
  /** Unix permission bits, 0–0o7777. */
  mode: z.int(),
  /** SHA-256 of the content in hex. Null for folders and links, and if hashes were not requested. */
  hash: z.string().nullable(),
});
export type ManifestEntry = z.infer<typeof manifestEntrySchema>;

/** One file or folder that a search found. */
export const searchHitSchema = z.strictObject({
  path: z.string(),
  kind: z.enum(['file', 'folder', 'link']),
  bytes: z.int(),
  modifiedAt: z.int(),
  /**
   * Matching lines: line number from 1, and text (cut at 400 characters). Empty if the search only looked for names.
   */
  lines: z.array(z.strictObject({ line: z.int(), text: z.string() })),
});
export type SearchHit = z.infer<typeof searchHitSchema>;

/** What to do with a name that already exists when files are copied on the master. */
export const copyConflictSchema = z.enum(['refuse', 'overwrite', 'skip', 'rename']);
export type CopyConflict = z.infer<typeof copyConflictSchema>;
