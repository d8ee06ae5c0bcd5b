import { z } from 'zod';
import { ApiError, invalidInput, locked, notFound, uniquenessError } from '../http/api-error.ts';
import { images, locations, serverTypes, type ImageRecord, type TypeRecord } from './catalog.ts';
import { checkLabels } from './label-selector.ts';
import type { FakeMachine } from './machine-hooks.ts';
import { firewallsOf } from './views.ts';
import type { ActionRecord, PrimaryIpRecord, ServerRecord, World } from './world.ts';

const HOST_NAME = /^(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/i;
const MAX_USER_DATA_BYTES = 32 * 1024;

const idOrName = z.union([z.int(), z.string().min(1)]);

export const createServerBody = z.strictObject({
  name: z.string().max(253).regex(HOST_NAME),
  server_type: idOrName,
  image: idOrName,
  location: idOrName.optional(),
  ssh_keys: z.array(idOrName).optional(),
  firewalls: z
    .array(z.strictObject({ firewall: z.int() }))
    .max(5)
    .optional(),
  user_data: z
    .string()
    .refine((text) => Buffer.byteLength(text) <= MAX_USER_DATA_BYTES, 'is longer than 32 KiB')
    .optional(),
  labels: z.record(z.string(), z.string()).optional(),
  public_net: z
    .strictObject({
      enable_ipv4: z.boolean().optional(),
      enable_ipv6: z.boolean().optional(),
      ipv4: z.int().nullable().optional(),
      ipv6: z.int().nullable().optional(),
    })
    .optional(),
  start_after_create: z.boolean().optional(),
  volumes: z.array(z.int()).optional(),
  networks: z.array(z.int()).optional(),
  placement_group: z.int().optional(),
  automount: z.boolean().optional(),
});

type CreateServer = z.infer<typeof createServerBody>;

export interface Created {
  readonly server: ServerRecord;
  readonly action: ActionRecord;
  readonly nextActions: readonly ActionRecord[];
}

/**
 * Creates a server. Refuses it for the same reasons as the API.
 *
 * @throws ApiError
 */
export function createServer(body: CreateServer, world: World, addressOf: (id: number) => string): Created {
  const { type, image, location } = choose(body, world);
  const sshKeys = (body.ssh_keys ?? []).map((given) => findSshKey(given, world));
  for (const { firewall } of body.firewalls ?? []) {
    if (!world.firewalls.has(firewall)) throw notFound(`firewall with ID '${firewall}'`);
  }
  checkRoom(body, { type, location }, world);
  const id = world.nextId();
  const server: ServerRecord = {
    id,
    name: body.name,
    status: 'initializing',
    created: world.clock.now(),
    deleted: null,
    type,
    location,
    image,
    labels: { ...body.labels },
    userData: body.user_data ?? '',
    sshKeys,
    primaryIps: [],
    firewalls: (body.firewalls ?? []).map(({ firewall }) => firewall),
    protected: false,
  };
  const { enable_ipv4 = true, enable_ipv6 = true } = body.public_net ?? {};
  if (enable_ipv4) addPrimaryIp(server, { type: 'ipv4', ip: addressOf(id), world });
  if (enable_ipv6) addPrimaryIp(server, { type: 'ipv6', ip: `2001:db8:${id.toString(16)}::/64`, world });
  world.servers.set(id, server);
  return { server, ...beginCreation(server, body.start_after_create ?? true, world) };
}

function beginCreation(server: ServerRecord, start: boolean, world: World): Omit<Created, 'server'> {
  const resource = { id: server.id, type: 'server' } as const;
  const action = world.begin('create_server', [resource], {
    job: async () => world.hooks.onCreate?.(toMachine(server, world)),
    onSuccess: () => (server.status = start ? 'starting' : 'off'),
  });
  if (!start) return { action, nextActions: [] };
  const starting = world.begin('start_server', [resource], {
    after: action,
    onSuccess: () => (server.status = 'running'),
  });
  return { action, nextActions: [starting] };
}

function addPrimaryIp(
  server: ServerRecord,
  { type, ip, world }: { type: PrimaryIpRecord['type']; ip: string; world: World },
): void {
  const id = world.nextId();
  world.primaryIps.set(id, {
    id,
    name: `primary_ip-${id}`,
    created: server.created,
    location: server.location,
    type,
    ip,
    autoDelete: true,
    protected: false,
    server: server.id,
    labels: {},
  });
  server.primaryIps.push(id);
}

function choose(
  body: CreateServer,
  world: World,
): { type: TypeRecord; image: ImageRecord; location: string } {
  checkLabels(body.labels ?? {});
  const given = String(body.server_type);
  const type = serverTypes.find(({ id, name }) => name === given || String(id) === given);
  if (type === undefined) throw invalidInput(`server type '${given}' not found`);
  const place = locations.find(({ id, name }) => id === body.location || name === (body.location ?? 'nbg1'));
  if (place === undefined) throw invalidInput(`location '${String(body.location)}' not found`);
  if (!type.locations.includes(place.name)) throw invalidInput('unsupported location for server type');
  if (isWithdrawn(type.name, place.name, world)) throw invalidInput(`server type '${given}' is deprecated`);
  const image = images.find(
    ({ id, name, architecture }) =>
      id === body.image || (name === body.image && architecture === type.architecture),
  );
  if (image === undefined) throw invalidInput(`image '${String(body.image)}' not found`);
  if (image.architecture !== type.architecture)
    throw invalidInput('image is not compatible with the server type');
  return { type, image, location: place.name };
}

function isWithdrawn(type: string, location: string, { stock, clock }: World): boolean {
  const deprecation = stock.deprecationOf(type, location) as { unavailable_after: string } | null;
  return deprecation !== null && Date.parse(deprecation.unavailable_after) <= clock.now();
}

function findSshKey(given: string | number, { sshKeys }: World): string {
  const key = [...sshKeys.values()].find(({ id, name }) => id === given || name === given);
  if (key === undefined) throw notFound(`SSH key '${given}'`);
  return key.publicKey;
}

function checkRoom(body: CreateServer, pair: { type: TypeRecord; location: string }, world: World): void {
  const living = world.living();
  if (living.some(({ name }) => name === body.name)) throw uniquenessError('server name is already used');
  if (living.length >= world.limits.servers) throw limitExceeded('server limit exceeded', 'server_limit');
  const ips = [...world.primaryIps.values()].filter(({ type }) => type === 'ipv4').length;
  if (body.public_net?.enable_ipv4 !== false && ips >= world.limits.primaryIps) {
    throw limitExceeded('Primary IP limit exceeded', 'primary_ip_limit');
  }
  if (world.stock.isSoldOut(pair.type.name, pair.location)) {
    throw new ApiError(412, { code: 'resource_unavailable', message: 'error during placement' });
  }
}

function limitExceeded(message: string, name: string): ApiError {
  return new ApiError(403, { code: 'resource_limit_exceeded', message, details: { limits: [{ name }] } });
}

/**
 * Starts to delete a server, including its primary IPs with `auto_delete`.
 *
 * @throws ApiError locked, protected
 */
export function deleteServer(server: ServerRecord, world: World): ActionRecord {
  if (server.protected) {
    throw new ApiError(423, { code: 'protected', message: 'server is protected from deletion' });
  }
  if (world.runningOn(server).length > 0) {
    throw locked('cannot perform operation because server is locked');
  }
  const before = server.status;
  server.status = 'deleting';
  return world.begin('delete_server', [{ id: server.id, type: 'server' }], {
    job: async () => world.hooks.onDelete?.(toMachine(server, world)),
    onSuccess: () => removeServer(server, world),
    onFailure: () => (server.status = before),
  });
}

function removeServer(server: ServerRecord, { primaryIps, clock }: World): void {
  server.deleted = clock.now();
  for (const id of server.primaryIps) {
    const ip = primaryIps.get(id);
    if (ip === undefined) continue;
    ip.server = null;
    if (ip.autoDelete) primaryIps.delete(id);
  }
}

/** Converts a server to the format in which hooks receive it. */
export function toMachine(server: ServerRecord, world: World): FakeMachine {
  const firewalls = firewallsOf(server, world);
  const ips = server.primaryIps.flatMap((id) => world.primaryIps.get(id) ?? []);
  return {
    id: server.id,
    name: server.name,
    ipv4: ips.find(({ type }) => type === 'ipv4')?.ip ?? null,
    labels: server.labels,
    userData: server.userData,
    sshKeys: server.sshKeys,
    cores: server.type.cores,
    memoryGb: server.type.memory,
    diskGb: server.type.disk,
    image: server.image.name,
    inbound:
      firewalls.length === 0
        ? null
        : firewalls.flatMap(({ rules }) => rules.filter(({ direction }) => direction === 'in')),
  };
}
