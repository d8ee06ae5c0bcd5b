import { z } from 'zod';
import { wireErrorSchema } from '../errors/wire.ts';
import { remotePathSchema } from '../model/files.ts';
import { channel, done, nothing } from './channel.ts';

/** A text file of the master that is opened for editing. */
export const openedFileSchema = z.strictObject({
  path: z.string(),
  text: z.string(),
  /** Identifies this version of the content. `files.save` sends it back, so that changes by others are detected. */
  version: z.string(),
  bytes: z.int(),
  modifiedAt: z.int(),
  mode: z.int(),
});
export type OpenedFile = z.infer<typeof openedFileSchema>;

/**
 * A file of the master that is open in another program of this computer. The app uploads the file whenever the
 * program saves it.
 */
export const externalEditSchema = z.strictObject({
  /** Differs from the ids of all other edits. The path alone may be open on several masters. */
  id: z.string(),
  /** Id of the connection profile of the master. */
  connection: z.string(),
  /** Path on the master. */
  path: z.string(),
  state: z.enum(['open', 'uploading', 'saved', 'conflict', 'failed']),
  /** Time of the last upload (ms since epoch). Null before the first upload. */
  savedAt: z.int().nullable(),
  error: wireErrorSchema.nullable(),
});
export type ExternalEdit = z.infer<typeof externalEditSchema>;

/** Requests that edit files of the master, in the window and in other programs of this computer. */
export const editRequests = {
  /** Reads a UTF-8 text file of at most 4 MB for editing. Fails with FILE_TOO_LARGE or FILE_NOT_TEXT. */
  'files.open': channel(z.strictObject({ path: remotePathSchema }), openedFileSchema),
  /**
   * Saves the file under a temporary name and renames it. Fails with FILE_CHANGED unless the file is still at
   * `version`. Null creates the file with the permission bits `mode` (0644 by default), and fails with FILE_CHANGED
   * if the file exists.
   */
  'files.save': channel(
    z.strictObject({
      path: remotePathSchema,
      text: z.string().max(4_194_304),
      version: z.string().nullable(),
      mode: z.int().optional(),
    }),
    openedFileSchema,
  ),
  /**
   * Opens the file in this computer's default program for its type. The app uploads the file whenever the program
   * saves it. Changes of the edit's state are pushed as `externalEdits`.
   */
  'files.openExternally': channel(z.strictObject({ path: remotePathSchema }), done),
  /** Lists the files of all masters that are open in other programs, for a page that was reloaded. */
  'files.externalEdits': channel(nothing, z.array(externalEditSchema)),
  /**
   * Settles a conflict of the edit with this id: `mine` uploads the local version, `theirs` downloads the master's
   * version, and `close` stops watching the file and deletes the local copy.
   */
  'files.settleExternal': channel(
    z.strictObject({ id: z.string(), keep: z.enum(['mine', 'theirs', 'close']) }),
    done,
  ),
} as const;
