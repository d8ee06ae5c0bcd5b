import { z } from 'zod';
import { remotePathSchema } from '../model/files.ts';
import { channel } from './channel.ts';
import { localPathSchema } from './local.ts';

const sideSchema = z.strictObject({ bytes: z.int(), modifiedAt: z.int() });

/** How one file differs between a folder on this computer and one on the master. */
export const syncRowSchema = z.strictObject({
  /** Relative path, separated by `/`. */
  path: z.string(),
  local: sideSchema.nullable(),
  remote: sideSchema.nullable(),
  verdict: z.enum(['same', 'local only', 'remote only', 'local newer', 'remote newer', 'different']),
});
export type SyncRow = z.infer<typeof syncRowSchema>;

export const syncComparisonSchema = z.strictObject({
  /** Id that `sync.start` takes. Expires after an hour. */
  comparison: z.string(),
  rows: z.array(syncRowSchema),
});
export type SyncComparison = z.infer<typeof syncComparisonSchema>;

/** Requests that compare a folder on this computer with one on the master, and synchronise them. */
export const syncRequests = {
  /**
   * Compares a folder on this computer with a folder on the master. With `content` it compares hashes, otherwise
   * sizes and modification times.
   */
  'sync.compare': channel(
    z.strictObject({
      local: localPathSchema,
      remote: remotePathSchema,
      content: z.boolean(),
      task: z.uuid().optional(),
    }),
    syncComparisonSchema,
  ),
  /**
   * Makes one side equal to the other for the given rows: copies the differing files and, if `deletes` is set,
   * deletes entries that exist only on the destination. On this computer, deleted entries go to the trash. Copies run
   * in the transfer queue.
   */
  'sync.start': channel(
    z.strictObject({
      comparison: z.string(),
      to: z.enum(['local', 'remote']),
      paths: z.array(z.string()).min(1).max(200_000),
      deletes: z.boolean(),
    }),
    z.strictObject({ copied: z.int(), deleted: z.int() }),
  ),
} as const;
