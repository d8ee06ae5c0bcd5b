import { z } from 'zod';
import { channel, done, nothing } from './channel.ts';

/** A folder of this computer that the Files screen may show: the home folder, its usual ones, and those a person added. */
export const placeSchema = z.strictObject({ name: z.string(), path: z.string(), added: z.boolean() });
export type LocalPlace = z.infer<typeof placeSchema>;

/** An absolute path of this computer; refused with PLACE_FORBIDDEN outside of the places. */
export const localPathSchema = z.string().min(1).max(4096);

/** An entry of a folder on this computer: as on the master. */
export const localFolderSchema = z.strictObject({
  /** As given, without `.` and `..`. */
  folder: z.string(),
  /** Null at the top of a place. */
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

/** What the pane of this computer asks. */
export const localRequests = {
  'local.places': channel(nothing, z.array(placeSchema)),
  /** Opens the system's dialog. Null: the person closed it. */
  'local.addPlace': channel(nothing, placeSchema.nullable()),
  'local.removePlace': channel(z.strictObject({ path: localPathSchema }), done),
  'local.list': channel(z.strictObject({ folder: localPathSchema }), localFolderSchema),
  'local.makeFolder': channel(z.strictObject({ path: localPathSchema }), done),
  'local.rename': channel(z.strictObject({ from: localPathSchema, to: localPathSchema }), done),
  /**
   * Within this computer. Nothing is replaced: a copy whose name is taken gets one of its own. `task`: told as
   * `files.progress` and cancelled as those of the master are; what is whole by then stays.
   */
  'local.copy': channel(
    z.strictObject({
      paths: z.array(localPathSchema).min(1).max(10_000),
      folder: localPathSchema,
      task: z.uuid().optional(),
    }),
    done,
  ),
  /** Into the system's trash. */
  'local.trash': channel(z.strictObject({ paths: z.array(localPathSchema).min(1).max(10_000) }), done),
  /** Shows it in the system's file manager. */
  'local.reveal': channel(z.strictObject({ path: localPathSchema }), done),
} as const;
