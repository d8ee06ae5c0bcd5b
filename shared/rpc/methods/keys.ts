import { z } from 'zod';
import { authorizedKeySchema, roleSchema } from '../../model/access/role.ts';
import { templateLimitSchema } from '../../model/access/template-limit.ts';
import { method, nothing } from './method.ts';

/** Authorized keys. */
export const keysMethods = {
  'keys.list': method('owner', nothing, z.array(authorizedKeySchema)),
  'keys.add': method(
    'owner',
    z.strictObject({
      name: authorizedKeySchema.shape.name,
      role: roleSchema,
      publicKey: z.string().max(16_384),
      /**
       * Limit of the new key. Only for the roles `files` and `operator`. Without it, the key is for all templates.
       */
      templates: templateLimitSchema.optional(),
    }),
    authorizedKeySchema,
  ),
  /**
   * Changes the limit of a key, which is identified by its name or fingerprint, and closes its open sessions. Null:
   * the key is for all templates. Does nothing if the key already has this limit. Fails with KEY_NOT_LIMITABLE for a
   * role other than `files` and `operator`.
   */
  'keys.limit': method(
    'owner',
    z.strictObject({ key: z.string(), templates: templateLimitSchema.nullable() }),
    authorizedKeySchema,
  ),
  /** Removes a key, which is identified by its name or fingerprint, and closes its open sessions. */
  'keys.remove': method('owner', z.strictObject({ key: z.string() }), authorizedKeySchema),
} as const;
