import { createHash } from 'node:crypto';
import {
  serverTypes,
  locations,
  toPrice,
  IPV4_MONTHLY,
  type TypeRecord,
  type ImageRecord,
} from './catalog.ts';
import { toTime } from './clock.ts';
import type { FirewallRecord, PrimaryIpRecord, ServerRecord, SshKeyRecord, World } from './world.ts';

/** These functions convert records to the API's format of November 2026, which has no `datacenter`. */

export function toTypeView(type: TypeRecord, { stock, clock }: World): object {
  const perLocation = locations.filter(({ name }) => type.locations.includes(name));
  return {
    id: type.id,
    name: type.name,
    description: type.name.toUpperCase().replace(/(\d+)$/, ' $1'),
    cores: type.cores,
    memory: type.memory,
    disk: type.disk,
    deprecated: false,
    prices: perLocation.map(({ name }) => ({
      location: name,
      ...toPrice(type.monthly),
      included_traffic: 21_990_232_555_520,
      price_per_tb_traffic: { net: '1.0000000000', gross: '1.1900000000000000' },
    })),
    storage_type: 'local',
    cpu_type: type.cpuType,
    category: type.cpuType === 'shared' ? 'regular_purpose' : 'general_purpose',
    architecture: type.architecture,
    deprecation: null,
    locations: perLocation.map(({ id, name }) => ({
      id,
      name,
      deprecation: stock.deprecationOf(type.name, name),
      recommended: true,
      available: stock.isShown(type.name, name) && !isPast(stock.deprecationOf(type.name, name), clock.now()),
    })),
  };
}

function isPast(deprecation: object | null, now: number): boolean {
  const after = (deprecation as { unavailable_after?: string } | null)?.unavailable_after;
  return after !== undefined && Date.parse(after) <= now;
}

export function toImageView(image: ImageRecord): object {
  return {
    id: image.id,
    type: 'system',
    status: 'available',
    name: image.name,
    description: `${image.flavor} ${image.version}`,
    image_size: null,
    disk_size: 5,
    created: '2025-09-01T07:00:00+00:00',
    created_from: null,
    bound_to: null,
    os_flavor: image.flavor,
    os_version: image.version,
    rapid_deploy: true,
    protection: { delete: false },
    deprecated: image.deprecated,
    deleted: null,
    labels: {},
    architecture: image.architecture,
  };
}

export function toServerView(server: ServerRecord, world: World): object {
  const ips = server.primaryIps.flatMap((id) => world.primaryIps.get(id) ?? []);
  const ipv4 = ips.find(({ type }) => type === 'ipv4');
  const ipv6 = ips.find(({ type }) => type === 'ipv6');
  return {
    id: server.id,
    name: server.name,
    status: server.status,
    created: toTime(server.created),
    public_net: {
      ipv4:
        ipv4 === undefined
          ? null
          : { id: ipv4.id, ip: ipv4.ip, blocked: false, dns_ptr: reverseName(ipv4.ip) },
      ipv6: ipv6 === undefined ? null : { id: ipv6.id, ip: ipv6.ip, blocked: false, dns_ptr: null },
      floating_ips: [],
      firewalls: firewallsOf(server, world).map(({ id }) => ({ id, status: 'applied' })),
    },
    private_net: [],
    server_type: toTypeView(server.type, world),
    location: locations.find(({ name }) => name === server.location),
    image: toImageView(server.image),
    iso: null,
    rescue_enabled: false,
    locked: world.runningOn(server).length > 0,
    backup_window: null,
    outgoing_traffic: null,
    ingoing_traffic: null,
    included_traffic: 21_990_232_555_520,
    protection: { delete: server.protected, rebuild: server.protected },
    labels: server.labels,
    volumes: [],
    load_balancers: [],
    primary_disk_size: server.type.disk,
    placement_group: null,
  };
}

function reverseName(ip: string): string {
  return `static.${ip.split('.').reverse().join('.')}.clients.your-server.de`;
}

/**
 * Returns the firewalls of the server: those applied to the server itself, and those with a label selector that
 * matches the server.
 */
export function firewallsOf(server: ServerRecord, world: World): FirewallRecord[] {
  return [...world.firewalls.values()].filter(
    (firewall) => server.firewalls.includes(firewall.id) || world.selects(firewall, server),
  );
}

export function toFirewallView(firewall: FirewallRecord, world: World): object {
  const direct = world.living().filter(({ firewalls }) => firewalls.includes(firewall.id));
  return {
    id: firewall.id,
    name: firewall.name,
    labels: firewall.labels,
    created: toTime(firewall.created),
    rules: firewall.rules,
    applied_to: [
      ...direct.map(({ id }) => ({ type: 'server', server: { id } })),
      ...firewall.selectors.map((selector) => ({
        type: 'label_selector',
        label_selector: { selector },
        applied_to_resources: world
          .living()
          .filter((server) => world.selects(firewall, server))
          .map(({ id }) => ({ type: 'server', server: { id } })),
      })),
    ],
  };
}

export function toPrimaryIpView(ip: PrimaryIpRecord): object {
  return {
    id: ip.id,
    name: ip.name,
    labels: ip.labels,
    created: toTime(ip.created),
    blocked: false,
    location: locations.find(({ name }) => name === ip.location),
    ip: ip.ip,
    dns_ptr: [],
    protection: { delete: ip.protected },
    type: ip.type,
    auto_delete: ip.autoDelete,
    assignee_type: ip.server === null ? 'unassigned' : 'server',
    assignee_id: ip.server,
  };
}

export function toSshKeyView(key: SshKeyRecord): object {
  return {
    id: key.id,
    name: key.name,
    fingerprint: key.fingerprint,
    public_key: key.publicKey,
    labels: key.labels,
    created: toTime(key.created),
  };
}

/** Returns the MD5 fingerprint of a public key, in the API's format. */
export function toFingerprint(publicKey: string): string {
  const bytes = Buffer.from(publicKey.split(' ')[1] ?? '', 'base64');
  return createHash('md5')
    .update(bytes)
    .digest('hex')
    .replace(/(..)(?!$)/g, '$1:');
}

export function toPricingView(): object {
  const everywhere = (price: object): object[] => locations.map(({ name }) => ({ location: name, ...price }));
  const amount = { net: '0.0100000000', gross: '0.0119000000000000' };
  return {
    currency: 'EUR',
    vat_rate: '19.00',
    primary_ips: [
      { type: 'ipv4', prices: everywhere(toPrice(IPV4_MONTHLY)) },
      { type: 'ipv6', prices: everywhere(toPrice(0)) },
    ],
    floating_ips: [],
    image: { price_per_gb_month: amount },
    volume: { price_per_gb_month: amount },
    server_backup: { percentage: '20.00' },
    server_types: serverTypes.map(({ id, name, monthly }) => ({
      id,
      name,
      prices: everywhere({
        ...toPrice(monthly),
        included_traffic: 21_990_232_555_520,
        price_per_tb_traffic: amount,
      }),
    })),
    load_balancer_types: [],
    floating_ip: { price_monthly: amount },
  };
}
