import { z } from 'zod';
import { fieldProblemSchema } from '../config/document.ts';
import { templateConfigSchema } from '../config/template.ts';
import { unmetSchema } from './wait.ts';

/** Template id. It is also the name of the template's folder. Never changes (docs/specification.md#name). */
export const templateIdSchema = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/);
export type TemplateId = z.infer<typeof templateIdSchema>;

/** Information about a template's `server.jar`. */
export const serverJarSchema = z.strictObject({
  bytes: z.int(),
  modifiedAt: z.int(),
  /** Title and version from its manifest, or else its main class. Null if the manifest has neither. */
  software: z.string().nullable(),
});
export type ServerJar = z.infer<typeof serverJarSchema>;

/**
 * State of a template's folder. `revision` identifies its immutable content (hash of the manifest). Null while the
 * folder is being written or is unreadable.
 */
export const templateFilesSchema = z.strictObject({
  revision: z.string().nullable(),
  files: z.int(),
  bytes: z.int(),
  jar: serverJarSchema.nullable(),
  /** Why the folder cannot be used, in one sentence. Null if it can. */
  problem: z.string().nullable(),
});
export type TemplateFiles = z.infer<typeof templateFilesSchema>;

/** A stored earlier content of a template's folder. */
export const revisionSchema = z.strictObject({
  revision: z.string(),
  /** When services began to start from it (ms since epoch). */
  at: z.int(),
  files: z.int(),
  bytes: z.int(),
  /** Whether services start from it now. */
  current: z.boolean(),
});
export type TemplateRevision = z.infer<typeof revisionSchema>;

/** A template as the admin API returns it. */
export const templateSchema = z.strictObject({
  id: templateIdSchema,
  /** The values in use: those of the file, or the last valid ones while the file is faulty. */
  config: templateConfigSchema,
  /** Identifies this version of the document. An update must be based on it. */
  configRevision: z.string(),
  /** Problems of the file on disk. Empty if the file is in use. */
  problems: z.array(fieldProblemSchema),
  files: templateFilesSchema,
  /** Whether a person paused its automation: no rule starts or stops its services, and they still count. */
  held: z.boolean(),
  /** What the rules require of it and cannot have. Null if nothing is missing. */
  unmet: unmetSchema.nullable(),
  /**
   * Null unless it is to be deleted after its last service is removed. Until then no service starts, and unused
   * ones are stopped.
   */
  leaving: z.strictObject({ since: z.int(), cause: z.string() }).nullable(),
});
export type Template = z.infer<typeof templateSchema>;
