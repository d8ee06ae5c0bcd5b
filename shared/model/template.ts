import { z } from 'zod';
import { fieldProblemSchema } from '../config/document.ts';
import { templateConfigSchema } from '../config/template.ts';
import { unmetSchema } from './wait.ts';

/** Template id = folder name; never changes (docs/specification.md#name). */
export const templateIdSchema = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/);
export type TemplateId = z.infer<typeof templateIdSchema>;

/** What is known of a template's `server.jar`. */
export const serverJarSchema = z.strictObject({
  bytes: z.int(),
  modifiedAt: z.int(),
  /** From its manifest, as far as that tells: title and version, or its main class. */
  software: z.string().nullable(),
});
export type ServerJar = z.infer<typeof serverJarSchema>;

/** State of a template's folder. `revision` names the immutable content (hash of the manifest); null while it is still being written or unreadable. */
export const templateFilesSchema = z.strictObject({
  revision: z.string().nullable(),
  files: z.int(),
  bytes: z.int(),
  jar: serverJarSchema.nullable(),
  /** Why the folder cannot be used, in one sentence; null when it can. */
  problem: z.string().nullable(),
});
export type TemplateFiles = z.infer<typeof templateFilesSchema>;

/** Earlier content of a template's folder that is still kept. */
export const revisionSchema = z.strictObject({
  revision: z.string(),
  /** When it became the content that services start from, ms since epoch. */
  at: z.int(),
  files: z.int(),
  bytes: z.int(),
  /** True for the one that services start from now. */
  current: z.boolean(),
});
export type TemplateRevision = z.infer<typeof revisionSchema>;

/** A template as the admin API shows it. */
export const templateSchema = z.strictObject({
  id: templateIdSchema,
  /** The values in use: those of the file, or the last good ones while the file is faulty. */
  config: templateConfigSchema,
  /** Names this version of the document; an update must be based on it. */
  configRevision: z.string(),
  /** What is wrong with the file on disk; empty when it is in use. */
  problems: z.array(fieldProblemSchema),
  files: templateFilesSchema,
  /** A person took it out of automation: no rule starts or stops its services, and they still count. */
  held: z.boolean(),
  /** What the rules want of it and cannot have; null when nothing is missing. */
  unmet: unmetSchema.nullable(),
  /** It is to be deleted once its last service is gone: none is started, those that nobody uses are stopped. */
  leaving: z.strictObject({ since: z.int(), cause: z.string() }).nullable(),
});
export type Template = z.infer<typeof templateSchema>;
