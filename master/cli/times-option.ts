import { InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';

const ms = z.int().positive();

/** Limits, link timing and interval of pings (ms) that tests with a real master shorten. The names are those of the master's options. */
const timesSchema = z.strictObject({
  limits: z.strictObject({ unresponsiveAfterMs: ms }).optional(),
  linkTiming: z.strictObject({ heartbeatMs: ms, silentAfterMs: ms }).optional(),
  sshPingMs: ms.optional(),
});

/** Intervals and time limits that override the defaults. */
export type MasterTimes = z.infer<typeof timesSchema>;

/** Defines a hidden option for tests that would otherwise wait too long. */
export function timesOption(): Option {
  return new Option('--times <json>', 'intervals and time limits instead of the defaults')
    .argParser(parseTimes)
    .hideHelp();
}

function parseTimes(text: string): MasterTimes {
  try {
    return timesSchema.parse(JSON.parse(text));
  } catch {
    throw new InvalidArgumentError('It must be JSON that names known intervals, each a whole number of ms.');
  }
}
