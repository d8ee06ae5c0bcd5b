import { z } from 'zod';

/** Time spans of the charts. Their steps are 1 minute, 5 minutes and 1 hour. */
export const historyRanges = ['1h', '24h', '7d'] as const;
export const historyRangeSchema = z.enum(historyRanges);
export type HistoryRange = (typeof historyRanges)[number];

const numbers = z.array(z.number().nullable());

/**
 * History of the network in equal steps, oldest first. All lists have the same length. A value is the mean over its
 * step. Null marks a step in which the master was not running.
 */
export const historySchema = z.strictObject({
  range: historyRangeSchema,
  stepMs: z.int(),
  /** Start of each step (ms since epoch). The last step is not complete yet. */
  at: z.array(z.int()),
  players: numbers,
  /** Highest number of simultaneous players in the step. */
  playersPeak: numbers,
  /** `max_online_players`. */
  playerLimit: numbers,
  /** Number of services that are RUNNING or IN_USE. */
  servicesUp: numbers,
  /** Number of all services, including services that are starting or stopping. */
  services: numbers,
  /** Allocated RAM (MB = 2^20 bytes). */
  ramAllocatedMb: numbers,
  ramTotalMb: numbers,
  /** Price per hour of all cloud nodes (EUR, without VAT). */
  costPerHour: numbers,
});
export type History = z.infer<typeof historySchema>;

/** Cost of cloud nodes (EUR, without VAT). Every started hour of a node is charged in full. */
export const costsSchema = z.strictObject({
  perHour: z.number(),
  /** Cost since the first of this month (UTC), including released nodes. */
  month: z.number(),
  /**
   * Start of the count (ms since epoch): the first of the month, or the start of this master's records if that is
   * later.
   */
  monthSince: z.int(),
  /** Cost of this month if all cloud nodes keep running until its end. Absent if the master is older. */
  monthForecast: z.number().optional(),
  rentedNodes: z.int(),
  /** Whether costs are possible: a provider with server types is configured, or a cloud node exists. */
  canRent: z.boolean(),
});
export type Costs = z.infer<typeof costsSchema>;
