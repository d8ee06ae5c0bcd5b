import { z } from 'zod';
import { authorizedKeySchema, roleSchema } from '../../model/role.ts';
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
    }),
    authorizedKeySchema,
  ),
  /** Removes a key by its name or fingerprint, and closes its open sessions. */
  'keys.remove': method('owner', z.strictObject({ key: z.string() }), authorizedKeySchema),
} as const;
