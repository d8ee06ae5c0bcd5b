import { z } from 'zod';
import { fieldProblemSchema } from '../config/document.ts';
import { templateConfigSchema } from '../config/template.ts';
import { configDocument } from '../tolerant.ts';
import { softwareChoiceSchema } from './software.ts';
import { templateIdSchema, type TemplateId } from './template-id.ts';
import { unmetSchema } from './wait.ts';

export { templateIdSchema, type TemplateId };

/** Information about a template's `server.jar`. */
export const serverJarSchema = z.strictObject({
  bytes: z.int(),
  modifiedAt: z.int(),
  /** Title and version from its manifest, or else its main class. Null if the manifest has neither. */
  software: z.string().nullable(),
});
export type ServerJar = z.infer<typeof serverJarSchema>;

/**
 * State of a template's folder. `revision` is the hash of the folder's manifest. It is null while the folder is being
 * written or is unreadable.
 */
export const templateFilesSchema = z.strictObject({
  revision: z.string().nullable(),
  files: z.int(),
  bytes: z.int(),
  jar: serverJarSchema.nullable(),
  /** Oldest Java (feature version) that starts the jar. Null if unknown, or for a master of API 4. */
  needsJava: z.int().nullable().default(null),
  /** Whether the folder contains a Java of its own in `jre/`, which services then use. */
  bringsJava: z.boolean().default(false),
  /** Why the folder cannot be used, in one sentence. Null if it can be used. */
  problem: z.string().nullable(),
});
export type TemplateFiles = z.infer<typeof templateFilesSchema>;

/** A stored earlier content of a template's folder. */
export const revisionSchema = z.strictObject({
  revision: z.string(),
  /** When services began to start from this content (ms since epoch). */
  at: z.int(),
  files: z.int(),
  bytes: z.int(),
  /** Whether services start from this content now. */
  current: z.boolean(),
});
export type TemplateRevision = z.infer<typeof revisionSchema>;

/** A template as the admin API returns it. */
export const templateSchema = z.strictObject({
  id: templateIdSchema,
  /** The values in use: those of the file, or the last valid ones while the file is faulty. */
  config: configDocument(templateConfigSchema),
  /** Identifies this version of the document. An update must be based on it. */
  configRevision: z.string(),
  /** Problems of the file on disk. Empty if the file is valid and in use. */
  problems: z.array(fieldProblemSchema),
  files: templateFilesSchema,
  /**
   * The build that `server.jar` is. Null if there is none, if it neither is included in Overworld nor was downloaded by the
   * master, or for a master of API 4.
   */
  software: softwareChoiceSchema.nullable().default(null),
  /** Whether a person paused the template's automation: no rule starts or stops its services, but they count. */
  held: z.boolean(),
  /** Services of the template that the rules require but that cannot be requested. Null if none is missing. */
  unmet: unmetSchema.nullable(),
  /**
   * Null unless the template is to be deleted after its last service is removed. Until then no service of it starts,
   * and unused ones are stopped.
   */
  leaving: z.strictObject({ since: z.int(), cause: z.string() }).nullable(),
});
export type Template = z.infer<typeof templateSchema>;
