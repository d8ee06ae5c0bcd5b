import { z } from 'zod';

/** Template id. It is also the name of the template's folder. Never changes (docs/specification.md#name). */
export const templateIdSchema = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/);
export type TemplateId = z.infer<typeof templateIdSchema>;

/** Returns whether a name is a valid template id. */
export function isTemplateId(name: string): boolean {
  return templateIdSchema.safeParse(name).success;
}
