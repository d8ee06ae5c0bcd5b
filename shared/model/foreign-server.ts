import { z } from 'zod';

/**
 * A server in the provider project of the API token whose label names another network. This master has no access to
 * the server. The server may belong to another master that uses the same project, or to a master that no longer
 * exists.
 */
export const foreignServerSchema = z.strictObject({
  /** Name at the provider, such as `ow-1234abcd-node-3`. Unique in the project. */
  name: z.string(),
  /** Id of the network that its label names. */
  network: z.string(),
  /** IPv4 address. Null if it has none. */
  address: z.string().nullable(),
  /** Name of the server type at the provider, such as `cpx32`. */
  type: z.string(),
  location: z.string(),
  /** Start of the provider's billing (ms since epoch). */
  since: z.int(),
  /** Price per hour, including its IPv4 address (EUR, without VAT). */
  hourlyPrice: z.number(),
  /** Whether the provider is deleting the server. */
  deleting: z.boolean(),
});
export type ForeignServer = z.infer<typeof foreignServerSchema>;
