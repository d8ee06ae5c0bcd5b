import { z } from 'zod';
import { planPreviewSchema } from '../../model/plan-preview.ts';
import { templateIdSchema } from '../../model/template.ts';
import { waitSchema } from '../../model/wait.ts';
import { method, nothing } from './method.ts';

/** Previews of what the rules would do. */
export const planMethods = {
  /**
   * Returns what the rules would do from now on if no player joined or left, with the documents in use or with one
   * of them replaced. Nothing is executed. Fails with CONFIG_FAULTY for an invalid document. Null before the
   * master's first plan, and while it does not know yet which players are online, as right after its restart.
   */
  'plan.preview': method(
    'viewer',
    z.strictObject({
      template: z.strictObject({ id: templateIdSchema, config: z.unknown() }).optional(),
      /** A replacement for the master configuration. */
      master: z.unknown().optional(),
    }),
    planPreviewSchema.nullable(),
  ),
  /** Returns why a required node is not ordered. Null if nothing prevents orders. */
  'plan.noOrder': method('viewer', nothing, waitSchema.nullable()),
} as const;
