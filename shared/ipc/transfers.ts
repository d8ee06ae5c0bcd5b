import { z } from 'zod';
import { wireErrorSchema } from '../errors/wire.ts';
import { channel, done, nothing } from './channel.ts';
import { conflictChoiceSchema } from './plans.ts';

/**
 * States of a transfer. `paused`: a person paused the transfer and can resume it; the partial file stays. `waiting`:
 * the transfer continues automatically once the app is connected. `cancelling`: the partial file is being removed;
 * `cancelled` follows.
 */
export const transferStates = [
  'queued',
  'running',
  'paused',
  'waiting',
  'cancelling',
  'done',
  'failed',
  'cancelled',
] as const;

/** Steps of a move, in order. A copy has only the step `copying`. */
export const transferSteps = ['copying', 'comparing', 'removing'] as const;

/** A transfer of one file, or of one folder with its content. */
export const transferSchema = z.strictObject({
  id: z.string(),
  direction: z.enum(['upload', 'download']),
  /**
   * Whether the source is removed after the copy was compared with the source: moved to the trash on this computer,
   * or deleted on the master. Until the comparison is finished, the source stays complete.
   */
  move: z.boolean().default(false),
  /** During `removing`, `files` counts the removed files, and the transfer can no longer be cancelled. */
  step: z.enum(transferSteps).default('copying'),
  name: z.string(),
  /** Source or destination on the master. */
  remotePath: z.string(),
  /** Source or destination on this computer, for the tooltip. */
  localPath: z.string(),
  state: z.enum(transferStates),
  files: z.strictObject({ done: z.int(), total: z.int() }),
  bytes: z.strictObject({ done: z.int(), total: z.int() }),
  /** Average speed over the last seconds. 0 while no data is transferred. */
  bytesPerSecond: z.number(),
  /** Estimate from the current speed (ms). Null if unknown. */
  remainingMs: z.int().nullable(),
  /**
   * Number of entries that were not transferred: links, special files, and files that are newer at the destination.
   */
  skipped: z.int(),
  /** Id of the connection profile of the master that the transfer belongs to. */
  connection: z.string(),
  startedAt: z.int().nullable(),
  endedAt: z.int().nullable(),
  error: wireErrorSchema.nullable(),
});
export type Transfer = z.infer<typeof transferSchema>;

/** Requests about the transfer queue. */
export const transferRequests = {
  /**
   * Starts a planned transfer. `each` holds the choices for single names; `onConflict` applies to all other names.
   */
  'transfers.start': channel(
    z.strictObject({
      plan: z.string(),
      onConflict: conflictChoiceSchema,
      each: z.record(z.string(), conflictChoiceSchema).optional(),
    }),
    done,
  ),
  'transfers.list': channel(nothing, z.array(transferSchema)),
  /** Pauses a transfer. If `id` is null, pauses all transfers. */
  'transfers.pause': channel(z.strictObject({ id: z.string().nullable() }), done),
  'transfers.resume': channel(z.strictObject({ id: z.string().nullable() }), done),
  'transfers.cancel': channel(z.strictObject({ id: z.string() }), done),
  'transfers.retry': channel(z.strictObject({ id: z.string() }), done),
  /** Removes all finished transfers from the list. */
  'transfers.clear': channel(nothing, done),
} as const;
