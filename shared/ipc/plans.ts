import { z } from 'zod';
import { remotePathSchema } from '../model/files.ts';
import { channel } from './channel.ts';
import { localPathSchema } from './local.ts';

/** What an upload or download would do. Conflicts must be decided before it starts. */
export const transferPlanSchema = z.strictObject({
  /** Id for `transfers.start`. Null if the person cancelled the dialog. */
  plan: z.string().nullable(),
  files: z.int(),
  bytes: z.int(),
  /** Names that already exist in the destination folder. */
  conflicts: z.array(
    z.strictObject({
      name: z.string(),
      kind: z.enum(['file', 'folder', 'other']),
      /** The source. For a folder, `bytes` and `files` count its whole content. */
      source: z.strictObject({ bytes: z.int(), files: z.int(), modifiedAt: z.int() }),
      /** The existing entry. A folder has its own modification time and no size. */
      target: z.strictObject({
        kind: z.enum(['file', 'folder', 'other']),
        bytes: z.int(),
        modifiedAt: z.int(),
      }),
      /** Whether an interrupted transfer of this file can be resumed. */
      resumable: z.boolean(),
    }),
  ),
});
export type TransferPlan = z.infer<typeof transferPlanSchema>;

/**
 * What to do with a name that already exists. If the name is an existing folder, the choice applies to each file
 * below it.
 *
 * - `overwrite`: replaces the file
 * - `newer`: replaces the file if it is older than the source
 * - `skip`: leaves the file unchanged
 * - `rename`: copies under a free name
 * - `resume`: continues an interrupted transfer; same as `overwrite` if there was none
 */
export const conflictChoiceSchema = z.enum(['overwrite', 'newer', 'skip', 'rename', 'resume']);
export type ConflictChoice = z.infer<typeof conflictChoiceSchema>;

/** Requests that prepare an upload or download; `transfers.start` starts it. */
export const planRequests = {
  /**
   * Plans the upload of files from a place of this computer, for example after a drag and drop between the panes.
   * With `move`, the app moves the source to this computer's trash after it has compared the copy with the source.
   */
  'files.planUpload': channel(
    z.strictObject({
      folder: remotePathSchema,
      localPaths: z.array(localPathSchema).min(1).max(10_000),
      move: z.boolean().optional(),
    }),
    transferPlanSchema,
  ),
  /**
   * Plans a download. With `move`, the app deletes the source on the master after it has compared the copy with the
   * source.
   */
  'files.planDownload': channel(
    z.strictObject({
      paths: z.array(remotePathSchema).min(1).max(10_000),
      folder: localPathSchema,
      move: z.boolean().optional(),
    }),
    transferPlanSchema,
  ),
  /** Opens the system's dialog and plans the upload of the chosen files. `transfers.start` starts the plan. */
  'files.pickUpload': channel(
    z.strictObject({ folder: remotePathSchema, what: z.enum(['files', 'folder']) }),
    transferPlanSchema,
  ),
  /** Plans the upload of dropped files. Only the preload script calls this, with the real paths. */
  'files.planDrop': channel(
    z.strictObject({ folder: remotePathSchema, localPaths: z.array(z.string().min(1)).min(1).max(10_000) }),
    transferPlanSchema,
  ),
  /** Opens the system's dialog for the destination folder and plans the download. */
  'files.pickDownload': channel(
    z.strictObject({ paths: z.array(remotePathSchema).min(1).max(10_000) }),
    transferPlanSchema,
  ),
  /** Plans the upload of the bundled practice server as `server.jar`. */
  'files.planPracticeServer': channel(z.strictObject({ folder: remotePathSchema }), transferPlanSchema),
  /** Plans the upload of the bundled practice proxy as `server.jar`. */
  'files.planPracticeProxy': channel(z.strictObject({ folder: remotePathSchema }), transferPlanSchema),
} as const;
