import { z } from 'zod';
import { wireErrorSchema } from '../errors/wire.ts';
import { channel, done, nothing } from './channel.ts';
import { conflictChoiceSchema } from './plans.ts';

/**
 * `paused`: by a person; what has arrived stays beside its destination and is gone on with. `waiting`: for the connection,
 * then it goes on by itself. `cancelling` takes back what is half there; only when that is gone is it `cancelled`.
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

/** What a move does one after the other; a copy is `copying` to its end. */
export const transferSteps = ['copying', 'comparing', 'removing'] as const;

/** One file (or folder, counted as a whole) on its way. */
export const transferSchema = z.strictObject({
  id: z.string(),
  direction: z.enum(['upload', 'download']),
  /**
   * True: what has arrived, and was compared, is then taken away from where it came from: into the trash on this computer,
   * deleted on the master. Until then the source is whole.
   */
  move: z.boolean().default(false),
  /** While `removing`, `files` counts those taken away; it cannot be cancelled then, only go on. */
  step: z.enum(transferSteps).default('copying'),
  name: z.string(),
  /** Where it ends up or comes from on the master. */
  remotePath: z.string(),
  /** Where it is on this computer, for the tooltip. */
  localPath: z.string(),
  state: z.enum(transferStates),
  files: z.strictObject({ done: z.int(), total: z.int() }),
  bytes: z.strictObject({ done: z.int(), total: z.int() }),
  /** Over the last seconds; 0 while nothing moves. */
  bytesPerSecond: z.number(),
  /** Estimated from that, ms; null while it cannot be said. */
  remainingMs: z.int().nullable(),
  /** Entries that were left out: links, special files, those that were newer there. */
  skipped: z.int(),
  /** The connection profile whose master it belongs to. */
  connection: z.string(),
  startedAt: z.int().nullable(),
  endedAt: z.int().nullable(),
  error: wireErrorSchema.nullable(),
});
export type Transfer = z.infer<typeof transferSchema>;

/** What the window asks of the transfer queue. */
export const transferRequests = {
  /** `each`: choices for single names, the rest as `onConflict`. */
  'transfers.start': channel(
    z.strictObject({
      plan: z.string(),
      onConflict: conflictChoiceSchema,
      each: z.record(z.string(), conflictChoiceSchema).optional(),
    }),
    done,
  ),
  'transfers.list': channel(nothing, z.array(transferSchema)),
  /** `id` null: all. */
  'transfers.pause': channel(z.strictObject({ id: z.string().nullable() }), done),
  'transfers.resume': channel(z.strictObject({ id: z.string().nullable() }), done),
  'transfers.cancel': channel(z.strictObject({ id: z.string() }), done),
  'transfers.retry': channel(z.strictObject({ id: z.string() }), done),
  /** Forgets all that have ended. */
  'transfers.clear': channel(nothing, done),
} as const;
