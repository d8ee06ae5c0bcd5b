import { z } from 'zod';
import {
  securityEntrySchema,
  securityGroupSchema,
  securityReportSchema,
} from '../../model/access/security-entry.ts';
import { configDocument } from '../../tolerant.ts';
import { method, nothing } from './method.ts';

/** The security log. */
export const securityMethods = {
  /**
   * Lists entries, the newest or the oldest first. `from`: lists only the entries that follow the entry with this
   * number. A page may contain fewer entries than `limit`, or none. `next`: value of `from` for the next page; null
   * after the last page.
   */
  'security.list': method(
    'owner',
    z.strictObject({
      order: z.enum(['newest', 'oldest']),
      from: z.int().min(0).optional(),
      group: securityGroupSchema.optional(),
      limit: z.int().min(1).max(2_000),
    }),
    z.strictObject({
      // A reader keeps the fields that it does not know, because the hash of the entry covers them.
      entries: z.array(configDocument(securityEntrySchema)),
      next: z.int().nullable(),
    }),
  ),
  /** Verifies the whole log on disk. Takes about a second for each 20,000 entries. */
  'security.verify': method('owner', nothing, securityReportSchema),
} as const;
