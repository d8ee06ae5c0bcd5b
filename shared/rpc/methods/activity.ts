import { z } from 'zod';
import { activityEventSchema, activityFilterSchema } from '../../model/event.ts';
import { costsSchema, historyRangeSchema, historySchema } from '../../model/history.ts';
import { method, nothing } from './method.ts';

/** Events, history and costs. */
export const activityMethods = {
  /** Lists events, newest first. If `before` is given, lists only events with a smaller `seq`. */
  'activity.list': method(
    'viewer',
    activityFilterSchema.extend({ before: z.int().optional(), limit: z.int().min(1).max(500) }),
    z.array(activityEventSchema),
  ),
  'history.get': method('viewer', z.strictObject({ range: historyRangeSchema }), historySchema),
  'costs.get': method('viewer', nothing, costsSchema),
} as const;
