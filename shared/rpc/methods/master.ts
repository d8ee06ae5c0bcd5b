import { z } from 'zod';
import { fieldProblemSchema } from '../../config/document.ts';
import { masterConfigSchema } from '../../config/master.ts';
import { roleSchema } from '../../model/access/role.ts';
import { templateLimitSchema } from '../../model/access/template-limit.ts';
import { configDocument } from '../../tolerant.ts';
import { done, method, nothing } from './method.ts';

/** Returns the schema of a configuration document together with the state of its file on disk. */
function documentSchema<S extends z.ZodType>(config: S) {
  return z.strictObject({
    config,
    configRevision: z.string(),
    problems: z.array(fieldProblemSchema),
  });
}

/**
 * Text of a document on disk, valid or faulty, and the revision on which an update must be based. Fails with
 * DOCUMENT_NOT_TEXT if the document is larger than `MAX_DOCUMENT_BYTES`, is not a file or is not UTF-8.
 */
export const documentTextSchema = z.strictObject({ text: z.string(), revision: z.string() });

/** The master configuration, with two fields that templates do not have. */
const masterDocumentSchema = documentSchema(configDocument(masterConfigSchema)).extend({
  /**
   * Value of `communication` at the master's start (docs/specification.md#communication). A changed value takes
   * effect at the next start.
   */
  running: configDocument(masterConfigSchema.shape.communication),
  /**
   * The document on disk if it is faulty but valid JSON. Secrets and the values of unknown keys are masked. Null if
   * the file is in use or is not JSON.
   */
  onDisk: z.unknown(),
});

/** The master and its configuration. */
export const masterMethods = {
  'master.info': method(
    'viewer',
    nothing,
    z.strictObject({
      version: z.string(),
      apiVersion: z.int(),
      cluster: z.string(),
      hostname: z.string(),
      /** Fingerprint of the host key of the master's SSH server: `SHA256:…`. */
      hostKey: z.string(),
      platform: z.string(),
      java: z.string().nullable(),
      startedAt: z.int(),
      /** Time of the master's clock (ms since epoch). Missing from an older master. */
      now: z.int().optional(),
      /**
       * The key of the caller. `readsFiles`: whether the key may read the contents of files. A master of API version
       * 4 lets every key read them. `templates`: limit of the key; null for all templates.
       */
      you: z.strictObject({
        name: z.string(),
        role: roleSchema,
        readsFiles: z.boolean().default(true),
        templates: templateLimitSchema.nullable().default(null),
      }),
    }),
  ),
  /**
   * Returns how far the master has come since its start. An upgrade waits until the new version has observed as much
   * as the old version had observed.
   */
  'master.readiness': method(
    'viewer',
    nothing,
    z.strictObject({
      version: z.string(),
      /**
       * Whether the master makes decisions. False right after its start, until the master knows which services run.
       */
      hasSynced: z.boolean(),
      /**
       * Whether the SSH port is served. If the SSH service is a separate process, it may begin to serve the port
       * after the master has started. Always true for a master of API 4.
       */
      sshReady: z.boolean().default(true),
      /** Ids of the nodes that the master observes. The master has adopted the services on these nodes. */
      observed: z.array(z.string()),
      /** Ids of the other nodes. They cannot be reached at the moment, or were not observed yet. */
      unobserved: z.array(z.string()),
    }),
  ),
  /**
   * Shuts the master down. `stop`: stops all services first. `keep`: leaves the services running; the master adopts
   * them at its next start.
   */
  'master.shutdown': method('owner', z.strictObject({ services: z.enum(['stop', 'keep']) }), done),
  'config.get': method('viewer', nothing, masterDocumentSchema),
  /**
   * Returns the text of `master.json` on disk. Hidden values are replaced with `••••` (the token in use) or `••••1`,
   * `••••2` (other values of the file). In `config.update`, these placeholders stand for the hidden values.
   */
  'config.text': method('owner', nothing, documentTextSchema),
  /**
   * Updates the master configuration. The placeholder `••••`, which clients receive instead of the token, keeps the
   * stored token.
   */
  'config.update': method(
    'owner',
    z.strictObject({ config: z.unknown(), basedOn: z.string() }),
    masterDocumentSchema,
  ),
  /**
   * Returns a free port for `communication.port`. The master has tested that the plugin link can listen on the port.
   * The master tries the 100 ports after the configured port, and never a port below 1024. Null if none of these
   * ports is free, or if the master cannot listen on the link's address.
   */
  'config.freePort': method('owner', nothing, z.strictObject({ port: z.int().nullable() })),
} as const;
