import { z } from 'zod';
import { unmetSchema, waitSchema } from './wait.ts';

/** One thing that the rules would do. */
export const foreseenActionSchema = z.strictObject({
  kind: z.enum(['request', 'start', 'stop', 'order', 'drain', 'resume', 'release']),
  /** From now, ms: 0 for what comes as fast as it can be done, more for what a rule waits for. */
  afterMs: z.int(),
  /** Null for what concerns a node only. */
  service: z.string().nullable(),
  /** Null for what concerns a service only. */
  node: z.string().nullable(),
  /** The rule with its numbers. */
  cause: z.string(),
});
export type ForeseenAction = z.infer<typeof foreseenActionSchema>;

/** Services of a template that an edit makes outdated. They keep running. */
export const becomingOutdatedSchema = z.strictObject({
  template: z.string(),
  /** How many; at least 1. */
  services: z.int(),
});
export type BecomingOutdated = z.infer<typeof becomingOutdatedSchema>;

/** Says it for people: the fact, and what it means for the services. Neither ends with a full stop. */
export function becomingOutdatedWords({ template, services }: BecomingOutdated): {
  readonly fact: string;
  readonly meaning: string;
} {
  const count = services.toLocaleString('en-US');
  return services === 1
    ? {
        fact: `${count} service of ${template} becomes outdated`,
        meaning: 'it keeps running with the old settings until it is restarted',
      }
    : {
        fact: `${count} services of ${template} become outdated`,
        meaning: 'they keep running with the old settings until they are restarted',
      };
}

/** What the rules would do for players who stay as they are, until nothing more is to do. */
export const foresightSchema = z.strictObject({
  actions: z.array(foreseenActionSchema),
  /** False when it would go on: only the first part was worked out, as the network is large. */
  complete: z.boolean(),
  /** Requested services that still wait at the end. */
  waiting: z.array(z.strictObject({ service: z.string(), wait: waitSchema })),
  /** Templates that lack services at the end. */
  unmet: z.array(z.strictObject({ template: z.string(), unmet: unmetSchema })),
  noOrder: waitSchema.nullable(),
  /** By the edit, one entry per template. Empty without an edit; missing in answers of masters that do not count them. */
  outdated: z.array(becomingOutdatedSchema).default([]),
});
export type Foresight = z.infer<typeof foresightSchema>;
