import { z } from 'zod';
import { activityFilterSchema } from '../rpc/contract.ts';
import { channel } from './channel.ts';

/** Saving what the master has told to a file of this computer. The place comes from the system’s dialog, never from the page. */
export const savingRequests = {
  /** Saves all events that fit (see `activity.list`) where the system's dialog says. False: the person closed it. */
  'activity.export': channel(
    z.strictObject({ filter: activityFilterSchema, format: z.enum(['csv', 'jsonl']) }),
    z.strictObject({ saved: z.boolean(), events: z.int() }),
  ),
  /** Saves the kept log of a service where the system's dialog says. */
  'logs.save': channel(
    z.strictObject({ service: z.string() }),
    z.strictObject({ saved: z.boolean(), lines: z.int() }),
  ),
} as const;
