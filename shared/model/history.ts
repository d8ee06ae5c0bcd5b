import { z } from 'zod';

/** Spans that charts show: steps of 1 minute, 5 minutes, 1 hour. */
export const historyRanges = ['1h', '24h', '7d'] as const;
export const historyRangeSchema = z.enum(historyRanges);
export type HistoryRange = (typeof historyRanges)[number];

const numbers = z.array(z.number().nullable());

/**
 * What the network was like, in equal steps, oldest first; all lists have the same length. A value is the mean of its
 * step, `null` where the master saw nothing (it was not running): a gap, never a zero.
 */
export const historySchema = z.strictObject({
  range: historyRangeSchema,
  stepMs: z.int(),
  /** Begin of each step, ms since epoch. The last step is still going on. */
  at: z.array(z.int()),
  players: numbers,
  /** Most players at one moment of the step. */
  playersPeak: numbers,
  /** `max_online_players`. */
  playerLimit: numbers,
  /** RUNNING or IN_USE. */
  servicesUp: numbers,
  /** All there are, also those on their way or stopping. */
  services: numbers,
  /** MB (2^20 bytes). */
  ramAllocatedMb: numbers,
  ramTotalMb: numbers,
  /** Net EUR per hour of all rented nodes. */
  costPerHour: numbers,
});
export type History = z.infer<typeof historySchema>;

/** What rented nodes cost, net EUR. Every started hour of a node is paid in full. */
export const costsSchema = z.strictObject({
  perHour: z.number(),
  /** Since the first of this month (UTC), nodes that were given back included. */
  month: z.number(),
  /** Since when it was counted, ms since epoch: the first of the month, or later when the master is younger. */
  monthSince: z.int(),
  rentedNodes: z.int(),
  /** Nodes can be rented: a provider is set up. */
  canRent: z.boolean(),
});
export type Costs = z.infer<typeof costsSchema>;
