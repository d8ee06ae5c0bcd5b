import { z } from 'zod';
import { remotePathSchema } from '../model/files.ts';
import { channel, done, nothing } from './channel.ts';

/** An entry of a folder on the master. Times in ms since epoch. */
export const fileEntrySchema = z.strictObject({
  name: z.string(),
  path: z.string(),
  kind: z.enum(['file', 'folder', 'link', 'other']),
  bytes: z.int(),
  modifiedAt: z.int(),
  /** Unix permission bits, 0–0o7777. */
  mode: z.int(),
});
export type RemoteEntry = z.infer<typeof fileEntrySchema>;

/** What the pane of the master asks. Errors name the path. */
export const fileRequests = {
  'files.list': channel(z.strictObject({ folder: remotePathSchema }), z.array(fileEntrySchema)),
  'files.makeFolder': channel(z.strictObject({ path: remotePathSchema }), done),
  'files.rename': channel(z.strictObject({ from: remotePathSchema, to: remotePathSchema }), done),
  /** Folders with all that is in them. `task`: told as `files.progress` and cancelled as those of the master are. */
  'files.delete': channel(
    z.strictObject({ paths: z.array(remotePathSchema).min(1).max(10_000), task: z.uuid().optional() }),
    done,
  ),
  /** Moves into a folder; what exists there already is refused. */
  'files.move': channel(
    z.strictObject({ paths: z.array(remotePathSchema).min(1).max(10_000), folder: remotePathSchema }),
    done,
  ),
  /** Unix permission bits. `within`: also of all that is in folders (search bits only where they make sense). */
  'files.setMode': channel(
    z.strictObject({
      paths: z.array(remotePathSchema).min(1).max(10_000),
      mode: z.int().min(0).max(0o777),
      within: z.boolean(),
      task: z.uuid().optional(),
    }),
    done,
  ),
  /** Last SFTP requests and their answers, oldest first, at most 500. */
  'files.log': channel(
    nothing,
    z.array(z.strictObject({ at: z.int(), text: z.string(), ms: z.int(), error: z.string().nullable() })),
  ),
  /**
   * Begins to drag files out to the system's file manager: they are fetched to a temporary folder first. FILE_TOO_LARGE
   * above 256 MB together.
   */
  'files.dragOut': channel(z.strictObject({ paths: z.array(remotePathSchema).min(1).max(1000) }), done),
} as const;
