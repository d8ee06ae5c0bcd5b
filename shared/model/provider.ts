import { z } from 'zod';
import { openEnum } from '../tolerant.ts';
import { waitSchema } from './wait.ts';

/** A location in which the provider runs servers. */
const providerLocationSchema = z.strictObject({
  name: z.string(),
  city: z.string(),
  /** ISO 3166-1 code, such as `DE`. */
  country: z.string(),
  /** Network zone, such as `eu-central`. */
  zone: z.string(),
});

/** A server type in one location. The price includes an IPv4 address. */
const providerOfferSchema = z.strictObject({
  location: z.string(),
  /** Price per hour (EUR, without VAT). */
  perHour: z.number(),
  /** Maximum price per month (EUR, without VAT). Null if the provider names none. */
  perMonth: z.number().nullable(),
  /**
   * `sold-out`: the provider currently reports none in stock; this may change at any time. `ended`: no longer sold.
   */
  stock: openEnum(['available', 'sold-out', 'ended'], 'other'),
});
export type ProviderOffer = z.infer<typeof providerOfferSchema>;

/** A server type of the provider. */
const providerTypeSchema = z.strictObject({
  name: z.string(),
  cores: z.number(),
  /** Built-in RAM (GB). */
  memoryGb: z.number(),
  /** RAM that is available for services (MB). */
  serviceRamMb: z.int(),
  architecture: z.string(),
  offers: z.array(providerOfferSchema),
});
export type ProviderType = z.infer<typeof providerTypeSchema>;

/** What an API token gives access to at the provider. Never contains the token. */
export const providerProjectSchema = z.strictObject({
  /** Time at which this was read from the provider (ms since epoch). */
  readAt: z.int(),
  /** Number of requests that the project has left, and the limit per hour. */
  requests: z.strictObject({ left: z.int(), perHour: z.int() }),
  /** Number of servers in the project: of this network, of other networks, and all others. */
  servers: z.strictObject({ ours: z.int(), otherNetworks: z.int(), others: z.int() }),
  locations: z.array(providerLocationSchema),
  types: z.array(providerTypeSchema),
  sshKeys: z.array(z.strictObject({ name: z.string(), fingerprint: z.string() })),
});
export type ProviderProject = z.infer<typeof providerProjectSchema>;

/** A node that would be ordered. */
const previewedOrderSchema = z.strictObject({
  node: z.string(),
  type: z.string(),
  location: z.string(),
  perHour: z.number(),
  perMonth: z.number().nullable(),
  /** The rule with its numbers. */
  cause: z.string(),
});

/** Nodes that would be ordered if configure mode were off. */
export const orderPreviewSchema = z.strictObject({
  orders: z.array(previewedOrderSchema),
  /** Why no further node is ordered although a node is needed. Null if nothing prevents orders. */
  noOrder: waitSchema.nullable(),
  /** Number of existing cloud nodes, and their total price per hour (EUR, without VAT). */
  existing: z.strictObject({ nodes: z.int(), perHour: z.number() }),
});
export type OrderPreview = z.infer<typeof orderPreviewSchema>;
