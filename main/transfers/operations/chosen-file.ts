import { z } from 'zod';

/** One file of a transfer, with its state on both sides when it was chosen for a copy, or compared after a move. */
export const chosenFileSchema = z.object({
  /** Path relative to both sides, separated by `/`. Empty if they are the file itself. */
  path: z.string(),
  source: z.object({ bytes: z.int(), modifiedAt: z.int() }),
  target: z.object({ bytes: z.int(), modifiedAt: z.int() }).nullable(),
});
export type ChosenFile = z.infer<typeof chosenFileSchema>;
