import { z } from 'zod';
import {
  cachedSoftwareSchema,
  publishedBuildSchema,
  publishedVersionSchema,
  softwareChoiceSchema,
  softwareIdSchema,
  softwareUpdateSchema,
  softwareVersionSchema,
} from '../../model/software.ts';
import { templateIdSchema } from '../../model/template.ts';
import { taskSchema } from './files.ts';
import { method, nothing } from './method.ts';

/**
 * Server software: what its publishers offer, and what the master has downloaded. Methods that ask a publisher fail with
 * SOFTWARE_SOURCE_UNREACHABLE, SOFTWARE_RATE_LIMITED, SOFTWARE_NOT_FOUND, SOFTWARE_ANSWER_UNREADABLE or
 * SOFTWARE_ADDRESS_REFUSED.
 */
export const softwareMethods = {
  /** Lists the builds whose jars are on the master, the last downloaded one first. */
  'software.list': method('viewer', nothing, z.array(cachedSoftwareSchema)),
  /** Asks the publisher for the versions of some software, newest first. Empty for included software. */
  'software.versions': method(
    'viewer',
    z.strictObject({ software: softwareIdSchema }),
    z.array(publishedVersionSchema),
  ),
  /** Asks the publisher for the builds of a version, newest first. */
  'software.builds': method(
    'viewer',
    z.strictObject({ software: softwareIdSchema, version: softwareVersionSchema }),
    z.array(publishedBuildSchema),
  ),
  /**
   * Downloads a build to the master, unless it is there. Without a version or build, it takes the newest stable one. An
   * interrupted download is continued by the next call. Returns the build. Also fails with SOFTWARE_HASH_DIFFERS, DISK_FULL
   * and DISK_RESERVED.
   */
  'software.download': method(
    'operator',
    z.strictObject({ ...softwareChoiceSchema.shape, task: taskSchema }),
    softwareChoiceSchema,
  ),
  /**
   * Puts a build on the master into a template as its `server.jar`, which becomes a new revision. Resolves once services can
   * start from it. `eula`: the caller accepts Mojang's EULA, which is required if the software needs it and the template has
   * no acceptance yet. Fails with SOFTWARE_NOT_DOWNLOADED, SOFTWARE_TYPE_DIFFERS, EULA_REQUIRED, TEMPLATE_NOT_FOUND,
   * DISK_FULL, DISK_RESERVED and TEMPLATE_UNREADABLE. `before`: the revision before, to which
   * `templates.restoreRevision` leads back; null if there was none.
   */
  'software.install': method(
    'operator',
    z.strictObject({ id: templateIdSchema, ...softwareChoiceSchema.shape, eula: z.boolean() }),
    z.strictObject({ before: z.string().nullable() }),
  ),
  /**
   * Asks the publishers for newer builds of the software of all templates, of the same version. Templates whose publisher
   * does not answer are left out.
   */
  'software.updates': method('viewer', nothing, z.array(softwareUpdateSchema)),
} as const;
