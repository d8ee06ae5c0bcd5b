import { z } from 'zod';
import { serviceIdSchema } from '../../model/service.ts';
import { softwareChoiceSchema } from '../../model/software.ts';
import { revisionSchema, templateIdSchema, templateSchema } from '../../model/template.ts';
import { documentTextSchema } from './master.ts';
import { done, method, nothing } from './method.ts';

/** Maximum number of templates that one call creates. */
export const MAX_CREATED = 20;

/** Templates and their stored revisions. */
export const templatesMethods = {
  'templates.list': method('viewer', nothing, z.array(templateSchema)),
  /** Returns the text of the template's document on disk. */
  'templates.text': method('operator', z.strictObject({ id: templateIdSchema }), documentTextSchema),
  'templates.create': method(
    'operator',
    z.strictObject({ id: templateIdSchema, config: z.unknown() }),
    templateSchema,
  ),
  /**
   * Creates several templates with their server software: either all of them or none. `eula`: the caller accepts
   * Mojang's EULA. Without this acceptance, fails with EULA_REQUIRED if the EULA applies to a template's software.
   * Fails with TEMPLATE_EXISTS, CONFIG_FAULTY, SOFTWARE_TYPE_DIFFERS and SOFTWARE_NOT_DOWNLOADED. Fails with
   * TEMPLATES_LEFT if created templates could not be deleted again after a failure.
   */
  'templates.createAll': method(
    'operator',
    z.strictObject({
      templates: z
        .array(
          z.strictObject({
            id: templateIdSchema,
            config: z.unknown(),
            software: softwareChoiceSchema,
          }),
        )
        .min(1)
        .max(MAX_CREATED),
      eula: z.boolean(),
    }),
    z.array(templateSchema),
  ),
  /**
   * Updates the configuration of a template. The placeholder `••••`, which some clients receive instead of the value
   * of a variable, keeps the stored value.
   */
  'templates.update': method(
    'operator',
    z.strictObject({ id: templateIdSchema, config: z.unknown(), basedOn: z.string() }),
    templateSchema,
  ),
  /** Creates a template with the values of another template and, if `files` is set, a copy of its files. */
  'templates.duplicate': method(
    'operator',
    z.strictObject({ from: templateIdSchema, to: templateIdSchema, files: z.boolean() }),
    templateSchema,
  ),
  /**
   * Starts a rolling restart: replacements are ready before old services stop, and a service stops only when it has
   * no players. At the template's maximum, one empty service may stop before its replacement starts. `outdated`:
   * restarts only services with older files or values. `none`: cancels the restart for services that are not yet
   * replaced. Returns the affected services.
   */
  'templates.restart': method(
    'operator',
    z.strictObject({ id: templateIdSchema, which: z.enum(['outdated', 'all', 'none']) }),
    z.strictObject({ services: z.array(serviceIdSchema) }),
  ),
  /** Lists the stored contents (revisions) of the template's folder, including the current one, newest first. */
  'templates.revisions': method('viewer', z.strictObject({ id: templateIdSchema }), z.array(revisionSchema)),
  /**
   * Compares two stored revisions and returns the paths that differ. Fails with TOO_MANY if these do not fit into one
   * message.
   */
  'templates.compareRevisions': method(
    'viewer',
    z.strictObject({ id: templateIdSchema, from: z.string(), to: z.string() }),
    z.strictObject({
      added: z.array(z.string()),
      removed: z.array(z.string()),
      changed: z.array(z.string()),
    }),
  ),
  /**
   * Restores the folder to a stored revision. The current content is stored as an earlier revision. Fails with
   * REVISION_NOT_FOUND.
   */
  'templates.restoreRevision': method(
    'operator',
    z.strictObject({ id: templateIdSchema, revision: z.string() }),
    done,
  ),
  /**
   * Deletes a template with its files. `refuse`: fails with TEMPLATE_IN_USE while the template has services. `stop`:
   * stops the services first. `drain`: starts no more services, stops unused services, and deletes the template once
   * its last service is removed.
   */
  'templates.delete': method(
    'operator',
    z.strictObject({ id: templateIdSchema, services: z.enum(['refuse', 'drain', 'stop']) }),
    done,
  ),
  /** Cancels a deletion that was requested with `drain`. */
  'templates.cancelDelete': method('operator', z.strictObject({ id: templateIdSchema }), done),
  /**
   * Pauses or resumes the template's automation. While it is paused, the rules neither start nor stop services of the
   * template, but its services still count.
   */
  'templates.hold': method('operator', z.strictObject({ id: templateIdSchema, held: z.boolean() }), done),
} as const;
