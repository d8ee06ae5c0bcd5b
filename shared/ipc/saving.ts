import { z } from 'zod';
import { activityFilterSchema } from '../model/event.ts';
import { channel } from './channel.ts';

/**
 * Requests that save data of the master to a file of this computer. The path comes from the system's dialog, never
 * from the page.
 */
export const savingRequests = {
  /**
   * Saves all events that match the filter (see `activity.list`) to the file chosen in the system's dialog. `saved`
   * is false if the person cancels the dialog.
   */
  'activity.export': channel(
    z.strictObject({ filter: activityFilterSchema, format: z.enum(['csv', 'jsonl']) }),
    z.strictObject({ saved: z.boolean(), events: z.int() }),
  ),
  /**
   * Saves the stored log of a service to the file chosen in the system's dialog. `saved` is false if the person
   * cancels the dialog.
   */
  'logs.save': channel(
    z.strictObject({ service: z.string() }),
    z.strictObject({ saved: z.boolean(), lines: z.int() }),
  ),
  /**
   * Saves the whole security log to the file chosen in the system's dialog, in the format of `overworld-master audit
   * export`. `saved` is false if the person cancels the dialog.
   */
  'security.export': channel(z.strictObject({}), z.strictObject({ saved: z.boolean(), entries: z.int() })),
} as const;
