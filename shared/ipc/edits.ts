import { z } from 'zod';
import { wireErrorSchema } from '../errors/wire.ts';
import { remotePathSchema } from '../model/files.ts';
import { channel, done, nothing } from './channel.ts';

/** A text file of the master, opened for editing. */
export const openedFileSchema = z.strictObject({
  path: z.string(),
  text: z.string(),
  /** Names this content; a save is based on it. */
  version: z.string(),
  bytes: z.int(),
  modifiedAt: z.int(),
  mode: z.int(),
});
export type OpenedFile = z.infer<typeof openedFileSchema>;

/** A file of the master that is open in a program of this computer. Saved there, it is uploaded. */
export const externalEditSchema = z.strictObject({
  path: z.string(),
  state: z.enum(['open', 'uploading', 'saved', 'conflict', 'failed']),
  /** When it was last uploaded, ms since epoch. */
  savedAt: z.int().nullable(),
  error: wireErrorSchema.nullable(),
});
export type ExternalEdit = z.infer<typeof externalEditSchema>;

/** Editing files of the master: in the window, and in programs of this computer. */
export const editRequests = {
  /** Reads a text file for editing: UTF-8, at most 4 MB. FILE_TOO_LARGE, FILE_NOT_TEXT. */
  'files.open': channel(z.strictObject({ path: remotePathSchema }), openedFileSchema),
  /** Writes it back under a temporary name, then renames. FILE_CHANGED unless it still is `version`; null: whatever is there. */
  'files.save': channel(
    z.strictObject({
      path: remotePathSchema,
      text: z.string().max(4_194_304),
      version: z.string().nullable(),
    }),
    openedFileSchema,
  ),
  /** Opens it in the program that this computer has for it; saved there, it is uploaded. News come as `externalEdits`. */
  'files.openExternally': channel(z.strictObject({ path: remotePathSchema }), done),
  /** Those that are open, for a page that was loaded anew. */
  'files.externalEdits': channel(nothing, z.array(externalEditSchema)),
  /** After a conflict: uploads what is here, or forgets it. */
  'files.settleExternal': channel(
    z.strictObject({ path: remotePathSchema, keep: z.enum(['mine', 'theirs', 'close']) }),
    done,
  ),
} as const;
