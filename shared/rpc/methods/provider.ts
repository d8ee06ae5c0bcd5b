import { z } from 'zod';
import { orderPreviewSchema, providerProjectSchema } from '../../model/provider.ts';
import { method } from './method.ts';

/**
 * Set-up of the cloud provider. A token in these calls is only used for requests to the provider: it is never stored
 * or logged. Both methods fail with PROVIDER_TOKEN_MISSING, PROVIDER_TOKEN_INVALID, PROVIDER_TOKEN_READ_ONLY,
 * PROVIDER_OTHER_PROJECT, PROVIDER_BUSY and PROVIDER_TEST_FAILED.
 */
export const providerMethods = {
  /**
   * Tests whether a token may order servers, and returns what its project offers. Changes nothing. Repeated calls
   * within a minute return the same result, so that they do not use up the project's request limit.
   */
  'provider.test': method(
    'owner',
    z.strictObject({
      /** Token to test. Null for the stored token. */
      token: z.string().min(1).max(256).nullable(),
    }),
    providerProjectSchema,
  ),
  /**
   * Returns the nodes that would be ordered now with a master configuration if configure mode were off. Orders
   * nothing. Null while the master does not know yet which players are online, as right after its start. Also fails
   * with CONFIG_FAULTY.
   */
  'provider.preview': method(
    'owner',
    z.strictObject({
      /** The whole master configuration. Its token may be masked. */
      master: z.unknown(),
    }),
    orderPreviewSchema.nullable(),
  ),
} as const;
