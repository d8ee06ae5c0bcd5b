import { z } from 'zod';

/**
 * A server in the same project at the provider as this master, with a label that names another network. This master
 * has no access to the server. The server may belong to another master that uses the same project, or to a master
 * that no longer exists.
 */
export const foreignServerSchema = z.strictObject({
  /** Name at the provider, such as `ow-1234abcd-node-3`. Unique in the project. */
  name: z.string(),
  /** Id of the network that the server's label names. */
  network: z.string(),
  /** IPv4 address. Null if the server has none. */
  address: z.string().nullable(),
  /** Name of the server type at the provider, such as `cpx32`. */
  type: z.string(),
  location: z.string(),
  /** Start of the provider's billing (ms since epoch). */
  since: z.int(),
  /** Price per hour (EUR, without VAT), including the price of the IPv4 address. */
  hourlyPrice: z.number(),
  /** Whether the provider is deleting the server. */
  deleting: z.boolean(),
});
export type ForeignServer = z.infer<typeof foreignServerSchema>;
