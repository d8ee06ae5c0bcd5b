import { z } from 'zod';
import { remotePathSchema } from '../model/files.ts';
import { channel, done, nothing } from './channel.ts';

/** An entry of a folder on the master. Times are ms since epoch. */
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

/** Requests of the master's file pane. Errors name the path. */
export const fileRequests = {
  'files.list': channel(z.strictObject({ folder: remotePathSchema }), z.array(fileEntrySchema)),
  'files.makeFolder': channel(z.strictObject({ path: remotePathSchema }), done),
  'files.rename': channel(z.strictObject({ from: remotePathSchema, to: remotePathSchema }), done),
  /**
   * Deletes files, and folders with their content. With the id `task`, progress is pushed as `files.progress`, and
   * `files.cancel` cancels the deletion.
   */
  'files.delete': channel(
    z.strictObject({ paths: z.array(remotePathSchema).min(1).max(10_000), task: z.uuid().optional() }),
    done,
  ),
  /** Moves entries into a folder. Fails if one of the names already exists there. */
  'files.move': channel(
    z.strictObject({ paths: z.array(remotePathSchema).min(1).max(10_000), folder: remotePathSchema }),
    done,
  ),
  /**
   * Sets Unix permission bits. `within` includes the content of folders. In that content, subfolders get search bits
   * wherever they get read bits, and files get execute bits only if they had an execute bit before.
   */
  'files.setMode': channel(
    z.strictObject({
      paths: z.array(remotePathSchema).min(1).max(10_000),
      mode: z.int().min(0).max(0o777),
      within: z.boolean(),
      task: z.uuid().optional(),
    }),
    done,
  ),
  /** Returns the last SFTP requests and responses, oldest first, at most 500 of them. */
  'files.log': channel(
    nothing,
    z.array(z.strictObject({ at: z.int(), text: z.string(), ms: z.int(), error: z.string().nullable() })),
  ),
  /**
   * Starts dragging files out to the system's file manager. The files are downloaded to a temporary folder first.
   * Fails with FILE_TOO_LARGE if the files have more than 256 MB in total.
   */
  'files.dragOut': channel(z.strictObject({ paths: z.array(remotePathSchema).min(1).max(1000) }), done),
} as const;
