import { z } from 'zod';

/**
 * One file of a transfer, with its size and time on both sides. For a copy, these are the values when the file was
 * chosen. For a move, they are the values when both sides were compared.
 */
export const chosenFileSchema = z.object({
  /** Path relative to both roots, separated by `/`. Empty if the roots are the file itself. */
  path: z.string(),
  source: z.object({ bytes: z.int(), modifiedAt: z.int() }),
  /** Null if the file did not exist at the destination. */
  target: z.object({ bytes: z.int(), modifiedAt: z.int() }).nullable(),
});
export type ChosenFile = z.infer<typeof chosenFileSchema>;
