import { z } from 'zod';
import { openEnum } from '../tolerant.ts';
import { unmetSchema, waitSchema } from './wait.ts';

/** One action that the rules would take. */
export const previewedActionSchema = z.strictObject({
  kind: openEnum(['request', 'start', 'stop', 'order', 'drain', 'resume', 'release'], 'other'),
  /** Time from now (ms). 0 for an action that is due immediately; greater than 0 if a rule delays the action. */
  afterMs: z.int(),
  /** The affected service. Null if the action affects only a node. */
  service: z.string().nullable(),
  /** The affected node. Null if the action affects only a service. */
  node: z.string().nullable(),
  /** The rule with its numbers. */
  cause: z.string(),
});
export type PreviewedAction = z.infer<typeof previewedActionSchema>;

/** The services of one template that become outdated if an edit is saved. They keep running. */
export const becomingOutdatedSchema = z.strictObject({
  template: z.string(),
  /** Number of services, at least 1. */
  services: z.int(),
});
export type BecomingOutdated = z.infer<typeof becomingOutdatedSchema>;

/**
 * Returns two parts of a sentence for people: the fact, and its consequence for the services. Neither part ends with
 * a full stop.
 */
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

/** All actions that the rules would take from now on if no player joined or left. */
export const planPreviewSchema = z.strictObject({
  actions: z.array(previewedActionSchema),
  /** False if only the first actions were computed, because the network is large. */
  complete: z.boolean(),
  /** Requested services that would still wait after all these actions, and the reason. */
  waiting: z.array(z.strictObject({ service: z.string(), wait: waitSchema })),
  /** Templates that would still lack services after all these actions. */
  unmet: z.array(z.strictObject({ template: z.string(), unmet: unmetSchema })),
  noOrder: waitSchema.nullable(),
  /**
   * Services that the edit makes outdated, one entry per template. Empty without an edit, and missing in responses
   * of older masters.
   */
  outdated: z.array(becomingOutdatedSchema).default([]),
});
export type PlanPreview = z.infer<typeof planPreviewSchema>;
