import { isIP } from 'node:net';
import { z } from 'zod';
import { ApiError, invalidInput, notFound, uniquenessError } from '../http/api-error.ts';
import { checkLabels, parseSelector } from './label-selector.ts';
import { toMachine } from './servers.ts';
import { firewallsOf } from './views.ts';
import type { ActionRecord, FirewallRecord, FirewallRule, ServerRecord, World } from './world.ts';

const MAX_RULES = 50;
const MAX_PER_SERVER = 5;

const cidrs = z.array(z.string().refine(isNetwork, 'is no network in CIDR notation')).max(100).default([]);

/** Returns whether the text is an address with a prefix length and without host bits; the API refuses `10.0.0.1/24`. */
function isNetwork(text: string): boolean {
  const [address = '', bits = ''] = text.split('/');
  const version = isIP(address);
  if (version === 0 || !/^\d{1,3}$/.test(bits)) return false;
  const width = version === 4 ? 32 : 128;
  return Number(bits) <= width && (version === 6 || hasNoHostBits(address, Number(bits)));
}

function hasNoHostBits(address: string, bits: number): boolean {
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return number % 2 ** (32 - bits) === 0;
}

const rule = z
  .strictObject({
    description: z.string().max(255).nullable().default(null),
    direction: z.enum(['in', 'out']),
    source_ips: cidrs,
    destination_ips: cidrs,
    protocol: z.enum(['tcp', 'udp', 'icmp', 'esp', 'gre']),
    port: z
      .string()
      .regex(/^\d{1,5}(-\d{1,5})?$/)
      .nullable()
      .default(null),
  })
  .refine(
    ({ protocol, port }) => (port !== null) === (protocol === 'tcp' || protocol === 'udp'),
    'port does not suit',
  )
  .refine(
    ({ direction, source_ips, destination_ips }) =>
      (direction === 'in' ? source_ips : destination_ips).length > 0,
    'addresses are missing',
  );

const resource = z.union([
  z.strictObject({ type: z.literal('server'), server: z.strictObject({ id: z.int() }) }),
  z.strictObject({
    type: z.literal('label_selector'),
    label_selector: z.strictObject({ selector: z.string() }),
  }),
]);

export const createFirewallBody = z.strictObject({
  name: z.string().min(1).max(128),
  labels: z.record(z.string(), z.string()).optional(),
  rules: z.array(rule).max(MAX_RULES).optional(),
  apply_to: z.array(resource).optional(),
});
export const setRulesBody = z.strictObject({ rules: z.array(rule).max(MAX_RULES) });
export const applyBody = z.strictObject({ apply_to: z.array(resource).min(1) });
export const removeBody = z.strictObject({ remove_from: z.array(resource).min(1) });

type Resource = z.infer<typeof resource>;

/**
 * Creates a firewall.
 *
 * @throws ApiError
 */
export function createFirewall(
  body: z.infer<typeof createFirewallBody>,
  world: World,
): { firewall: FirewallRecord; actions: ActionRecord[] } {
  checkLabels(body.labels ?? {});
  if ([...world.firewalls.values()].some(({ name }) => name === body.name)) {
    throw uniquenessError('firewall name is already used');
  }
  if (world.firewalls.size >= world.limits.firewalls) {
    throw new ApiError(403, {
      code: 'resource_limit_exceeded',
      message: 'firewall limit exceeded',
      details: { limits: [{ name: 'firewall_limit' }] },
    });
  }
  const firewall: FirewallRecord = {
    id: world.nextId(),
    name: body.name,
    created: world.clock.now(),
    labels: { ...body.labels },
    rules: body.rules ?? [],
    selectors: [],
  };
  world.firewalls.set(firewall.id, firewall);
  return {
    firewall,
    actions: body.apply_to === undefined ? [] : applyFirewall(firewall, body.apply_to, world),
  };
}

/**
 * Returns the firewall with this ID.
 *
 * @throws ApiError not_found
 */
export function findFirewall(id: number, world: World): FirewallRecord {
  const firewall = world.firewalls.get(id);
  if (firewall === undefined) throw notFound(`firewall with ID '${id}'`);
  return firewall;
}

/** Replaces a firewall's rules. The answer contains them immediately; the servers apply them when the actions end. */
export function setRules(
  firewall: FirewallRecord,
  rules: readonly FirewallRule[],
  world: World,
): ActionRecord[] {
  firewall.rules = rules;
  const servers = world.living().filter((server) => firewallsOf(server, world).includes(firewall));
  return changeServers('set_firewall_rules', { firewall, servers, world });
}

export function applyFirewall(
  firewall: FirewallRecord,
  to: readonly Resource[],
  world: World,
): ActionRecord[] {
  const servers: ServerRecord[] = [];
  for (const one of to) {
    if (one.type === 'label_selector') {
      parseSelector(one.label_selector.selector);
      firewall.selectors.push(one.label_selector.selector);
      servers.push(...world.living().filter((server) => world.selects(firewall, server)));
      continue;
    }
    const server = world.server(one.server.id);
    if (server.firewalls.includes(firewall.id)) {
      throw new ApiError(409, { code: 'firewall_already_applied', message: 'firewall was already applied' });
    }
    if (server.firewalls.length >= MAX_PER_SERVER) throw invalidInput('too many firewalls on the server');
    server.firewalls.push(firewall.id);
    servers.push(server);
  }
  return changeServers('apply_firewall', { firewall, servers, world });
}

export function removeFirewall(
  firewall: FirewallRecord,
  from: readonly Resource[],
  world: World,
): ActionRecord[] {
  const servers = world.living().filter((server) => firewallsOf(server, world).includes(firewall));
  for (const one of from) {
    if (one.type === 'label_selector') {
      firewall.selectors = firewall.selectors.filter((selector) => selector !== one.label_selector.selector);
    } else {
      const server = world.server(one.server.id);
      server.firewalls = server.firewalls.filter((id) => id !== firewall.id);
    }
  }
  return changeServers('remove_firewall', { firewall, servers, world });
}

/**
 * Deletes a firewall.
 *
 * @throws ApiError resource_in_use
 */
export function deleteFirewall(firewall: FirewallRecord, world: World): void {
  if (world.living().some((server) => firewallsOf(server, world).includes(firewall))) {
    throw new ApiError(422, { code: 'resource_in_use', message: 'firewall is in use' });
  }
  world.firewalls.delete(firewall.id);
}

function changeServers(
  command: string,
  { firewall, servers, world }: { firewall: FirewallRecord; servers: readonly ServerRecord[]; world: World },
): ActionRecord[] {
  return servers.map((server) =>
    world.begin(command, [{ id: firewall.id, type: 'firewall' }], {
      job: async () => world.hooks.onFirewall?.(toMachine(server, world)),
    }),
  );
}
