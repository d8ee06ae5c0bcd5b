import { z } from 'zod';
import { channel, done, nothing } from './channel.ts';

/**
 * A folder of this computer that the Files screen may show: the home folder, its usual subfolders, or one that a
 * person added.
 */
export const placeSchema = z.strictObject({ name: z.string(), path: z.string(), added: z.boolean() });
export type LocalPlace = z.infer<typeof placeSchema>;

/** An absolute path on this computer. Rejected with PLACE_FORBIDDEN if it is outside of the places. */
export const localPathSchema = z.string().min(1).max(4096);

/**
 * The content of a folder on this computer. Its entries have the same form as the entries of a folder on the master.
 */
export const localFolderSchema = z.strictObject({
  /** The requested path without `.` and `..`. */
  folder: z.string(),
  /** The parent folder. Null if the parent folder is not in a place. */
  parent: z.string().nullable(),
  entries: z.array(
    z.strictObject({
      name: z.string(),
      path: z.string(),
      kind: z.enum(['file', 'folder', 'link', 'other']),
      bytes: z.int(),
      modifiedAt: z.int(),
      mode: z.int(),
    }),
  ),
});
export type LocalFolder = z.infer<typeof localFolderSchema>;

/** Requests of the file pane for this computer. */
export const localRequests = {
  'local.places': channel(nothing, z.array(placeSchema)),
  /** Adds the folder that the person chooses in the system's dialog. Returns null if the person cancels it. */
  'local.addPlace': channel(nothing, placeSchema.nullable()),
  'local.removePlace': channel(z.strictObject({ path: localPathSchema }), done),
  'local.list': channel(z.strictObject({ folder: localPathSchema }), localFolderSchema),
  'local.makeFolder': channel(z.strictObject({ path: localPathSchema }), done),
  'local.rename': channel(z.strictObject({ from: localPathSchema, to: localPathSchema }), done),
  /**
   * Copies within this computer. Never replaces a file: if a name is taken, the copy gets a free name. With the id
   * `task`, progress is pushed as `files.progress`, and `files.cancel` cancels the copy; files that are complete by
   * then are kept.
   */
  'local.copy': channel(
    z.strictObject({
      paths: z.array(localPathSchema).min(1).max(10_000),
      folder: localPathSchema,
      task: z.uuid().optional(),
    }),
    done,
  ),
  /** Moves entries to the system's trash. */
  'local.trash': channel(z.strictObject({ paths: z.array(localPathSchema).min(1).max(10_000) }), done),
  /** Shows the entry in the system's file manager. */
  'local.reveal': channel(z.strictObject({ path: localPathSchema }), done),
} as const;
