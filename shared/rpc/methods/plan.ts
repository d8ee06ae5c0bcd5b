import { z } from 'zod';
import { planPreviewSchema } from '../../model/plan-preview.ts';
import { templateIdSchema } from '../../model/template.ts';
import { waitSchema } from '../../model/wait.ts';
import { method, nothing } from './method.ts';

/** Previews of what the rules would do. */
export const planMethods = {
  /**
   * Returns what the rules would do from now on if no player joined or left. Uses the documents in use, or replaces
   * one of them with the given document. Executes nothing. Fails with CONFIG_FAULTY for an invalid document. Null
   * before the master's first plan, and while the master does not know yet which players are online, as right after
   * its restart. Masks of variables stand for the stored values. If the caller may not read the template's document,
   * its stored variables are used instead of the given ones.
   */
  'plan.preview': method(
    'viewer',
    z.strictObject({
      template: z.strictObject({ id: templateIdSchema, config: z.unknown() }).optional(),
      /** Master configuration to use instead of the stored one. */
      master: z.unknown().optional(),
    }),
    planPreviewSchema.nullable(),
  ),
  /** Returns why no node is ordered although one is required. Null if nothing prevents orders. */
  'plan.noOrder': method('viewer', nothing, waitSchema.nullable()),
} as const;
