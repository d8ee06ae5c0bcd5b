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
  /** Title and version from the jar's manifest, or else the jar's main class. Null if the jar has neither. */
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
  /** Oldest Java (feature version) that can start the jar. Null if unknown, or if the master has API version 4. */
  needsJava: z.int().nullable().default(null),
  /** Whether the folder contains its own Java in `jre/`, which services then use. */
  bringsJava: z.boolean().default(false),
  /** Why the folder cannot be used, in one sentence. Null if it can be used. */
  problem: z.string().nullable(),
});
export type TemplateFiles = z.infer<typeof templateFilesSchema>;

/** A content of a template's folder that the master has stored: the current content or an earlier one. */
export const revisionSchema = z.strictObject({
  revision: z.string(),
  /** Time from which services started from this content (ms since epoch). */
  at: z.int(),
  files: z.int(),
  bytes: z.int(),
  /** Whether services currently start from this content. */
  current: z.boolean(),
});
export type TemplateRevision = z.infer<typeof revisionSchema>;

/** A template as the admin API returns it. */
export const templateSchema = z.strictObject({
  id: templateIdSchema,
  /** The values in use: the values of the file on disk or, while this file is faulty, the last valid values. */
  config: configDocument(templateConfigSchema),
  /**
   * Identifies this version of the document. An update must name the version on which it is based. If the values of
   * variables are hidden from the caller, identifies only the values that the caller sees.
   */
  configRevision: z.string(),
  /** Problems of the file on disk. Empty if the file is valid and in use. */
  problems: z.array(fieldProblemSchema),
  files: templateFilesSchema,
  /**
   * The build that `server.jar` is a copy of. Null in these cases: there is no jar, the jar is neither included in
   * Overworld nor downloaded by the master, or the master has API version 4.
   */
  software: softwareChoiceSchema.nullable().default(null),
  /**
   * Whether a person paused the template's automation. If so, no rule starts or stops services of the template, but
   * these services still count.
   */
  held: z.boolean(),
  /** Services of the template that the rules require but that cannot be requested. Null if none is missing. */
  unmet: unmetSchema.nullable(),
  /**
   * Null unless a person has requested that the template is deleted once its last service is removed. Until the
   * deletion, no service of the template starts, and its unused services are stopped.
   */
  leaving: z.strictObject({ since: z.int(), cause: z.string() }).nullable(),
});
export type Template = z.infer<typeof templateSchema>;
