import { z } from 'zod';
import { remotePathSchema } from '../model/files.ts';
import { channel } from './channel.ts';
import { localPathSchema } from './local.ts';

/** What an upload or download would do, before it begins: names that exist already must be decided on. */
export const transferPlanSchema = z.strictObject({
  /** Null when the person closed the dialog: nothing to do. */
  plan: z.string().nullable(),
  files: z.int(),
  bytes: z.int(),
  /** Names in the destination folder that exist already. */
  conflicts: z.array(
    z.strictObject({
      name: z.string(),
      kind: z.enum(['file', 'folder', 'other']),
      /** What would be copied; `bytes` and `files` of a folder as a whole. */
      source: z.strictObject({ bytes: z.int(), files: z.int(), modifiedAt: z.int() }),
      /** What is there; of a folder its own time and no size. */
      target: z.strictObject({
        kind: z.enum(['file', 'folder', 'other']),
        bytes: z.int(),
        modifiedAt: z.int(),
      }),
      /** A transfer of this very file broke off: it can be gone on with. */
      resumable: z.boolean(),
    }),
  ),
});
export type TransferPlan = z.infer<typeof transferPlanSchema>;

/**
 * What becomes of a name that exists. In a folder that exists it counts for each file below: `overwrite` replaces, `newer`
 * replaces those older than the source, `skip` leaves what is there; `rename` makes a second one beside it; `resume` goes on
 * with a broken transfer, and is `overwrite` where there was none.
 */
export const conflictChoiceSchema = z.enum(['overwrite', 'newer', 'skip', 'rename', 'resume']);
export type ConflictChoice = z.infer<typeof conflictChoiceSchema>;

/** Preparing an upload or download; `transfers.start` begins it. */
export const planRequests = {
  /** From a place of this computer, as by drag and drop between the panes. `move`: then into this computer's trash. */
  'files.planUpload': channel(
    z.strictObject({
      folder: remotePathSchema,
      localPaths: z.array(localPathSchema).min(1).max(10_000),
      move: z.boolean().optional(),
    }),
    transferPlanSchema,
  ),
  /** `move`: what has arrived is then deleted on the master. */
  'files.planDownload': channel(
    z.strictObject({
      paths: z.array(remotePathSchema).min(1).max(10_000),
      folder: localPathSchema,
      move: z.boolean().optional(),
    }),
    transferPlanSchema,
  ),
  /** Opens the system's dialog; the plan is begun with `transfers.start`. */
  'files.pickUpload': channel(
    z.strictObject({ folder: remotePathSchema, what: z.enum(['files', 'folder']) }),
    transferPlanSchema,
  ),
  /** Called by the preload alone, with the real paths of dropped files. */
  'files.planDrop': channel(
    z.strictObject({ folder: remotePathSchema, localPaths: z.array(z.string().min(1)).min(1).max(10_000) }),
    transferPlanSchema,
  ),
  /** Opens the system's dialog for the destination folder. */
  'files.pickDownload': channel(
    z.strictObject({ paths: z.array(remotePathSchema).min(1).max(10_000) }),
    transferPlanSchema,
  ),
  /** Plans the upload of the bundled practice server as `server.jar`. */
  'files.planPracticeServer': channel(z.strictObject({ folder: remotePathSchema }), transferPlanSchema),
  /** The same with the bundled practice proxy. */
  'files.planPracticeProxy': channel(z.strictObject({ folder: remotePathSchema }), transferPlanSchema),
} as const;
