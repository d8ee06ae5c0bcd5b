import { z } from 'zod';

/** One line of a service's console. `seq` counts the lines since the service's start, from 0. */
export const logLineSchema = z.strictObject({ seq: z.int(), text: z.string() });
export type LogLine = z.infer<typeof logLineSchema>;
