import { z } from 'zod';
import { field } from './field.ts';
import { NO_API_TOKEN } from './secret.ts';

const port = () => z.int().min(1).max(65_535);

/** A port or a port range in the form of the provider's firewall: `25565` or `25565-25600`. */
const PORT_OR_RANGE = /^\d{1,5}(-\d{1,5})?$/;

function isPortOrRange(text: string): boolean {
  const ports = text.split('-').map(Number);
  const [first = 0, last = first] = ports;
  return ports.every((p) => p >= 1 && p <= 65_535) && first <= last;
}

/**
 * One firewall rule. Without `protocol` the rule is for tcp; without `source_ips` it admits every address
 * (docs/specification.md#firewall_rules).
 */
export const firewallRuleSchema = z
  .strictObject({
    port: field(z.string().regex(PORT_OR_RANGE).refine(isPortOrRange), {
      label: 'Port',
      help: 'Port or range of ports that the rule opens.',
      allowed: 'a string with a port from 1 to 65535, or a range such as "25565-25600"',
      effect: 'now',
    }),
    protocol: field(z.enum(['tcp', 'udp']).optional(), {
      label: 'Protocol',
      help: 'Protocol that the rule applies to. Without it, the rule applies to tcp.',
      allowed: '"tcp" or "udp"',
      effect: 'now',
    }),
    source_ips: field(
      z
        .array(z.union([z.cidrv4(), z.cidrv6()]))
        .min(1)
        .max(100)
        .optional(),
      {
        label: 'Source addresses',
        help: 'Addresses that can connect. Without them, every address can connect.',
        allowed: 'a list of addresses in CIDR notation, such as "203.0.113.7/32"',
        effect: 'now',
      },
    ),
  })
  .refine((rule) => rule.protocol !== undefined || rule.source_ips !== undefined, {
    message: 'must set protocol or source_ips in addition to the port',
  });

export type FirewallRule = z.infer<typeof firewallRuleSchema>;

function unique<T>(key: (item: T) => string) {
  return (items: readonly T[]): boolean => new Set(items.map(key)).size === items.length;
}

/** Value of a limit that is switched off. */
const NO_LIMIT = -1;

/** An amount of money (EUR), or -1 for no limit. */
const amount = () =>
  z
    .number()
    .min(NO_LIMIT)
    .max(1_000_000)
    .refine((eur) => eur === NO_LIMIT || eur >= 0, { message: 'must be 0 or more, or -1 for no limit' })
    .default(NO_LIMIT);

const uniqueText = unique((text: string) => text);

/**
 * The master configuration. Field names, types and defaults are exactly those of
 * docs/specification.md#master-configuration.
 */
export const masterConfigSchema = z.strictObject({
  communication: z
    .strictObject({
      hostname: field(z.union([z.ipv4(), z.ipv6()]).default('127.0.0.1'), {
        label: 'Host address',
        help: 'IP address of the machine that the master runs on.',
        allowed: 'an IPv4 or IPv6 address',
        effect: 'master start',
        group: 'Communication',
      }),
      port: field(port().default(1510), {
        label: 'Port',
        help: 'Port that plugins connect to.',
        effect: 'master start',
        group: 'Communication',
      }),
    })
    .prefault({}),
  provider: z
    .strictObject({
      api_token: field(z.string().min(1).max(256).default(NO_API_TOKEN), {
        label: 'API token',
        help: 'API token of your project at the hosting provider. The token needs read and write permission.',
        secret: true,
        effect: 'now',
        group: 'Provider',
      }),
      location: field(
        z
          .string()
          .regex(/^[a-z0-9-]{2,32}$/)
          .default('nbg1'),
        {
          label: 'Location',
          help: 'Location where servers are ordered.',
          allowed: 'a location code such as nbg1',
          effect: 'now',
          group: 'Provider',
        },
      ),
      locations: field(
        z
          .array(z.string().regex(/^[a-z0-9-]{2,32}$/))
          .max(20)
          .refine(uniqueText, { message: 'names a location twice' })
          .default([]),
        {
          label: 'Other locations',
          help: 'Other locations, the preferred ones first. They are used while provider.location offers no server that is large enough.',
          allowed: 'a list of different location codes such as fsn1',
          effect: 'now',
          group: 'Provider',
          since: 5,
        },
      ),
      server_type: field(
        z
          .string()
          .regex(/^[a-z][a-z0-9]{0,31}$/)
          .default('cpx'),
        {
          label: 'Server type prefix',
          help: 'Servers are ordered only if the name of their type begins with this text.',
          allowed: 'the beginning of a server type name such as cpx',
          effect: 'now',
          group: 'Provider',
        },
      ),
      blocked_servers: field(
        z
          .array(z.string().regex(/^[a-z][a-z0-9]{0,31}$/))
          .max(100)
          .refine(uniqueText, { message: 'names a server type twice' })
          .default([]),
        {
          label: 'Blocked server types',
          help: 'Full names of server types that are never ordered.',
          allowed: 'a list of different server type names such as cpx11',
          effect: 'now',
          group: 'Provider',
        },
      ),
      ssh_keys: field(
        z
          .array(z.string().min(1).max(128))
          .max(100)
          .refine(uniqueText, { message: 'names a key twice' })
          .default([]),
        {
          label: 'SSH keys',
          help: "Names of the SSH keys in the provider's project that can log in to new nodes.",
          allowed: 'a list of different key names',
          effect: 'now',
          group: 'Provider',
        },
      ),
      configure_mode: field(z.boolean().default(true), {
        label: 'Configure mode',
        help: 'While this is on, the rules order, drain and release no nodes. Use it for setup and tests.',
        effect: 'now',
        group: 'Provider',
      }),
      server_port: field(port().default(22), {
        label: 'SSH port of nodes',
        help: 'Port of the SSH server on new nodes.',
        effect: 'now',
        group: 'Provider',
      }),
      upscaling_at_percent_capacity: field(z.int().min(1).max(100).default(80), {
        label: 'Order a node at',
        help: 'A new node is ordered when this share of the RAM of all nodes is allocated.',
        unit: '%',
        effect: 'now',
        group: 'Provider',
      }),
    })
    .prefault({}),
  firewall_rules: field(
    z
      .array(firewallRuleSchema)
      .max(50)
      .refine(
        unique(({ port, protocol, source_ips }: FirewallRule) =>
          JSON.stringify([port, protocol ?? 'tcp', [...(source_ips ?? [])].sort()]),
        ),
        { message: 'contains the same rule twice' },
      )
      .default([]),
    {
      label: 'Firewall rules',
      help: 'Connections that nodes accept from outside, in addition to those that Overworld needs.',
      allowed: 'a list of different rules. Each has a port, and at least one of protocol and source_ips',
      effect: 'now',
      group: 'Firewall',
    },
  ),
  balancer: z
    .strictObject({
      config_path: field(
        z
          .string()
          .max(1024)
          .regex(/^\/[^\0]*$/)
          .default('/etc/haproxy/haproxy.cfg'),
        {
          label: 'Configuration file',
          help: "Path of HAProxy's configuration file. The default is usually correct.",
          allowed: 'an absolute path',
          effect: 'now',
          group: 'Load balancer',
        },
      ),
      entry_addition: field(
        z
          .string()
          .max(256)
          .regex(/^[^\r\n\0]*$/)
          .default('send-proxy'),
        {
          label: 'Entry addition',
          help: "Text that is appended to each server line of HAProxy's configuration.",
          allowed: 'one line of text',
          effect: 'now',
          group: 'Load balancer',
        },
      ),
    })
    .prefault({}),
  access: z
    .strictObject({
      viewers_read_files: field(z.boolean().default(false), {
        label: 'Viewers read files',
        help: 'Keys with the role viewer can read files, which may contain passwords.',
        effect: 'now',
        group: 'Roles',
        since: 5,
      }),
      in_game_stop: field(z.boolean().default(false), {
        label: 'Stop services in game',
        help: 'Admins can stop services with /cloud stop. While this is on, a hacked proxy can also stop services.',
        effect: 'now',
        group: 'In game',
        since: 5,
      }),
    })
    .prefault({}),
  storage: z
    .strictObject({
      disk_reserve: field(z.int().min(0).max(10_000_000).default(1024), {
        label: 'Disk reserve',
        help: "Space that uploads, copies and revisions leave free on the master's disk. At most a quarter of the disk is reserved.",
        unit: 'MB',
        special: { '0': 'no reserve' },
        effect: 'now',
        group: 'Storage',
        since: 5,
      }),
    })
    .prefault({}),
  volumes: z
    .strictObject({
      saveInterval: field(z.int().min(30).max(86_400).default(600), {
        label: 'Save interval',
        help: 'Time between two saves of a running service.',
        unit: 's',
        effect: 'now',
        group: 'Volumes',
        since: 5,
      }),
      retention: z
        .strictObject({
          last: field(z.int().min(2).max(1000).default(24), {
            label: 'Newest saves kept',
            help: 'Number of newest saves that are kept of each volume.',
            unit: 'saves',
            effect: 'now',
            group: 'Volumes',
            since: 5,
          }),
          daily: field(z.int().min(0).max(1000).default(7), {
            label: 'Daily saves kept',
            help: 'Number of days (UTC) whose newest save is also kept. Days without a save do not count.',
            unit: 'saves',
            effect: 'now',
            group: 'Volumes',
            since: 5,
          }),
          weekly: field(z.int().min(0).max(1000).default(4), {
            label: 'Weekly saves kept',
            help: 'Number of weeks (UTC, from Monday) whose newest save is also kept. Weeks without a save do not count.',
            unit: 'saves',
            effect: 'now',
            group: 'Volumes',
            since: 5,
          }),
        })
        .prefault({}),
      quota: z
        .strictObject({
          perVolume: field(z.int().min(-1).max(1_000_000_000).default(NO_LIMIT), {
            label: 'Size of a volume at most',
            help: 'A save that is larger than this is refused. The service then keeps its folder until you raise the quota.',
            unit: 'MB',
            special: { '-1': 'no limit' },
            effect: 'now',
            group: 'Volumes',
            since: 5,
          }),
          total: field(z.int().min(-1).max(1_000_000_000).default(NO_LIMIT), {
            label: 'Size of all volumes at most',
            help: 'Maximum disk space for the saves of all volumes. A save that would need more is refused.',
            unit: 'MB',
            special: { '-1': 'no limit' },
            effect: 'now',
            group: 'Volumes',
            since: 5,
          }),
        })
        .prefault({}),
    })
    .prefault({}),
  limits: z
    .strictObject({
      max_nodes: field(z.int().min(-1).max(10_000).default(NO_LIMIT), {
        label: 'Cloud nodes at most',
        help: 'Maximum number of cloud nodes. No node is ordered while this many exist.',
        unit: 'nodes',
        special: { '-1': 'no limit' },
        effect: 'now',
        group: 'Budget',
        since: 5,
      }),
      max_cost_per_hour: field(amount(), {
        label: 'Cost per hour at most',
        help: 'Maximum cost of all cloud nodes per hour (without VAT). No node is ordered that would exceed this cost.',
        unit: 'EUR',
        special: { '-1': 'no limit' },
        effect: 'now',
        group: 'Budget',
        since: 5,
      }),
      max_cost_per_month: field(amount(), {
        label: 'Cost per month at most',
        help: 'Maximum cost per calendar month (without VAT), if all cloud nodes run until the month ends. No node is ordered that would exceed this cost.',
        unit: 'EUR',
        special: { '-1': 'no limit' },
        effect: 'now',
        group: 'Budget',
        since: 5,
      }),
    })
    .prefault({}),
  max_online_players: field(z.int().min(0).max(10_000_000).default(100), {
    label: 'Global player limit',
    help: 'Maximum number of players on the whole network at the same time.',
    unit: 'players',
    effect: 'now',
    group: 'Players',
  }),
});

export type MasterConfig = z.infer<typeof masterConfigSchema>;
