import { z } from 'zod';

/**
 * Schemas of the used part of the API's answers; other fields are ignored. Source: Hetzner's OpenAPI description,
 * 2026.
 */

const id = z.int().positive();
const time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
const amount = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,20})?$/)
  .transform(Number);

export const actionSchema = z.object({
  id,
  command: z.string(),
  status: z.enum(['running', 'success', 'error']),
  error: z.object({ code: z.string(), message: z.string() }).nullish(),
});
export type HetznerAction = z.infer<typeof actionSchema>;

/** Status of a server. Unlisted values are read as `unknown`, so that a server with a new status is not rejected. */
const serverStatus = z
  .enum([
    'initializing',
    'starting',
    'running',
    'stopping',
    'off',
    'deleting',
    'migrating',
    'rebuilding',
    'unknown',
  ])
  .catch('unknown');
export type ServerStatus = z.infer<typeof serverStatus>;

const price = z.object({ net: amount });
const locationPrices = z.array(
  z.object({ location: z.string(), price_hourly: price, price_monthly: price.nullish() }),
);

export const serverTypeSchema = z.object({
  name: z.string(),
  cores: z.number().positive(),
  /** RAM (GB). */
  memory: z.number().positive(),
  disk: z.number(),
  /** Architecture: `x86`, `arm`, or later ones. */
  architecture: z.string(),
  prices: locationPrices,
  locations: z.array(
    z.object({
      name: z.string(),
      available: z.boolean(),
      deprecation: z.object({ unavailable_after: time }).nullable(),
    }),
  ),
});
export type ServerType = z.infer<typeof serverTypeSchema>;

export const locationSchema = z.object({
  name: z.string(),
  city: z.string(),
  country: z.string(),
  network_zone: z.string(),
});
export type Location = z.infer<typeof locationSchema>;

export const sshKeySchema = z.object({ name: z.string(), fingerprint: z.string() });
export type SshKey = z.infer<typeof sshKeySchema>;

export const serverSchema = z.object({
  id,
  name: z.string(),
  status: serverStatus,
  created: time,
  public_net: z.object({
    ipv4: z.object({ id: id.optional(), ip: z.ipv4() }).nullable(),
    ipv6: z.object({ id: id.optional(), ip: z.string() }).nullable(),
    firewalls: z.array(z.object({ id, status: z.string() })).default([]),
  }),
  server_type: serverTypeSchema.pick({ name: true, cores: true, memory: true, prices: true }),
  location: z.object({ name: z.string() }),
  labels: z.record(z.string(), z.string()),
});
export type Server = z.infer<typeof serverSchema>;

export const firewallRuleSchema = z.object({
  description: z.string().nullish(),
  direction: z.enum(['in', 'out']),
  source_ips: z.array(z.string()).default([]),
  destination_ips: z.array(z.string()).default([]),
  protocol: z.string(),
  port: z.string().nullish(),
});
export const firewallSchema = z.object({
  id,
  name: z.string(),
  labels: z.record(z.string(), z.string()).default({}),
  rules: z.array(firewallRuleSchema),
});
export type Firewall = z.infer<typeof firewallSchema>;
export const newFirewallSchema = z.object({ firewall: firewallSchema });

export const primaryIpSchema = z.object({
  id,
  name: z.string(),
  ip: z.string(),
  assignee_id: z.number().nullable(),
  protection: z.object({ delete: z.boolean() }),
  labels: z.record(z.string(), z.string()),
});
export type PrimaryIp = z.infer<typeof primaryIpSchema>;

export const pricingSchema = z.object({
  pricing: z.object({
    currency: z.string(),
    primary_ips: z.array(z.object({ type: z.string(), prices: locationPrices })),
  }),
});

export const createdSchema = z.object({
  server: serverSchema,
  action: actionSchema,
  next_actions: z.array(actionSchema),
});

/** System images in the form in which hcloud-js returns them. */
export const imagesSchema = z.object({
  images: z.array(
    z.object({
      id,
      name: z.string().nullable(),
      osFlavor: z.string(),
      osVersion: z.string().nullable(),
      deprecated: z.unknown(),
    }),
  ),
});
export type Image = z.infer<typeof imagesSchema>['images'][number];

export const sshKeysSchema = z.object({ sshKeys: z.array(z.object({ id, name: z.string() })) });
export const actionListSchema = z.object({ actions: z.array(actionSchema) });
export const nothingSchema = z.unknown();

/** Returns the schema of one page of a list, with the number of the next page (null on the last page). */
export function pageSchema<T>(name: string, item: z.ZodType<T>) {
  return z
    .object({
      [name]: z.array(item),
      meta: z.object({ pagination: z.object({ next_page: z.int().nullable() }) }),
    })
    .transform((page) => ({
      items: page[name] as T[],
      next: (page['meta'] as { pagination: { next_page: number | null } }).pagination.next_page,
    }));
}
