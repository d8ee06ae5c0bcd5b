import { z } from 'zod';
import {
  copyConflictSchema,
  manifestEntrySchema,
  remotePathSchema,
  searchHitSchema,
} from '../../model/files.ts';
import { done, method } from './method.ts';

/** Id of a long-running task, chosen by the caller. Its progress arrives as `files.progress`. */
export const taskSchema = z.uuid();

/** Tasks on the master's files. Uploads and downloads use SFTP instead. */
export const filesMethods = {
  /**
   * Lists everything below a folder, ordered by path. `hashes` reads every file. Fails with FILE_CONTENTS_FORBIDDEN
   * if the caller requests hashes but may not read files. Fails with TOO_MANY if there are more than 200,000 entries,
   * or if the result exceeds half of the maximum message size (about 20,000 files with hashes, 30,000 without).
   */
  'files.manifest': method(
    'viewer',
    z.strictObject({ folder: remotePathSchema, hashes: z.boolean(), task: taskSchema }),
    z.array(manifestEntrySchema),
  ),
  /**
   * Searches below a folder for names (substrings, or masks with `*` and `?`) and, if `text` is given, for this text
   * in text files of at most 4 MB. `more`: there are further hits. With `text`, fails with FILE_CONTENTS_FORBIDDEN if
   * the caller may not read files.
   */
  'files.search': method(
    'viewer',
    z.strictObject({
      folder: remotePathSchema,
      name: z.string().max(200),
      text: z.string().max(200).nullable(),
      caseSensitive: z.boolean(),
      limit: z.int().min(1).max(2000),
      task: taskSchema,
    }),
    z.strictObject({ hits: z.array(searchHitSchema), more: z.boolean(), searched: z.int() }),
  ),
  /**
   * Copies files and folders on the master, also between templates. Then compares the number of entries and bytes of
   * source and copy. A cancelled copy leaves no partial file.
   */
  'files.copy': method(
    'operator',
    z.strictObject({
      paths: z.array(remotePathSchema).min(1).max(10_000),
      folder: remotePathSchema,
      onConflict: copyConflictSchema,
      task: taskSchema,
    }),
    z.strictObject({ files: z.int(), bytes: z.int(), skipped: z.array(z.string()) }),
  ),
  /**
   * Cancels a task that was started over this connection. The task then fails with TASK_CANCELLED. Also succeeds if
   * there is no such task.
   */
  'files.cancel': method('viewer', z.strictObject({ task: taskSchema }), done),
} as const;
