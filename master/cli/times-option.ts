import { InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';

const ms = z.int().positive();

/** The limits and the link's timing that tests of a real master shorten, as the master's options name them; ms. */
const timesSchema = z.strictObject({
  limits: z.strictObject({ unresponsiveAfterMs: ms }).optional(),
  linkTiming: z.strictObject({ heartbeatMs: ms, silentAfterMs: ms }).optional(),
});

/** Intervals and time limits in place of the defaults. */
export type Times = z.infer<typeof timesSchema>;

/** Not shown in the help: it is for tests that would wait long otherwise. */
export function timesOption(): Option {
  return new Option('--times <json>', 'intervals and time limits in place of the defaults')
    .argParser(parseTimes)
    .hideHelp();
}

function parseTimes(text: string): Times {
  try {
    return timesSchema.parse(JSON.parse(text));
  } catch {
    throw new InvalidArgumentError('It must be JSON that names known intervals, each a whole number of ms.');
  }
}
