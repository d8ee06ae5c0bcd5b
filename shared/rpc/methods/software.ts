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
 * Server software: what its publishers offer, and what the master has downloaded. Methods that send requests to a
 * publisher fail with SOFTWARE_SOURCE_UNREACHABLE, SOFTWARE_RATE_LIMITED, SOFTWARE_NOT_FOUND,
 * SOFTWARE_ANSWER_UNREADABLE or SOFTWARE_ADDRESS_REFUSED.
 */
export const softwareMethods = {
  /** Lists the builds whose jars are stored on the master, latest download first. */
  'software.list': method('viewer', nothing, z.array(cachedSoftwareSchema)),
  /** Requests the versions of some software from its publisher, newest first. Empty for included software. */
  'software.versions': method(
    'viewer',
    z.strictObject({ software: softwareIdSchema }),
    z.array(publishedVersionSchema),
  ),
  /** Requests the builds of a version from the publisher, newest first. */
  'software.builds': method(
    'viewer',
    z.strictObject({ software: softwareIdSchema, version: softwareVersionSchema }),
    z.array(publishedBuildSchema),
  ),
  /**
   * Downloads a build to the master, unless the master already has it. Without a version or build, chooses the newest
   * stable one. An interrupted download is continued by the next call. Returns the build. Also fails with
   * SOFTWARE_HASH_DIFFERS, DISK_FULL and DISK_RESERVED.
   */
  'software.download': method(
    'operator',
    z.strictObject({ ...softwareChoiceSchema.shape, task: taskSchema }),
    softwareChoiceSchema,
  ),
  /**
   * Puts a build that is stored on the master into a template as its `server.jar`. This creates a new revision of the
   * template. Resolves once services can start from that revision. `eula`: the caller accepts Mojang's EULA. This
   * acceptance is required if the EULA applies to the software and the template does not contain an acceptance yet.
   * `before`: the previous revision, to which `templates.restoreRevision` can return; null if there was none. Fails
   * with SOFTWARE_NOT_DOWNLOADED, SOFTWARE_TYPE_DIFFERS, EULA_REQUIRED, TEMPLATE_NOT_FOUND, DISK_FULL, DISK_RESERVED
   * and TEMPLATE_UNREADABLE.
   */
  'software.install': method(
    'operator',
    z.strictObject({ id: templateIdSchema, ...softwareChoiceSchema.shape, eula: z.boolean() }),
    z.strictObject({ before: z.string().nullable() }),
  ),
  /**
   * Asks the publishers for newer builds of the same version, for the software of each template. Templates whose
   * publisher does not answer are left out.
   */
  'software.updates': method('viewer', nothing, z.array(softwareUpdateSchema)),
} as const;
