import type { ProviderOffer, ProviderProject, ProviderType } from '#shared/model/provider.ts';
import type { Ipv4Price } from '../api/hetzner-api.ts';
import type { Location, Server, ServerType, SshKey } from '../api/schemas.ts';
import { isOurs, networkOf } from '../labels.ts';
import { ramForServicesMb, toEuro } from '../offers.ts';

/** Answers of the provider about one project. */
export interface ProjectAnswers {
  readonly types: readonly ServerType[];
  readonly ipv4: ReadonlyMap<string, Ipv4Price>;
  readonly locations: readonly Location[];
  readonly keys: readonly SshKey[];
  readonly servers: readonly Pick<Server, 'labels'>[];
  readonly requests: ProviderProject['requests'];
  /** Time at which the answers were read (ms since epoch). */
  readonly readAt: number;
}

/**
 * Converts the provider's answers to the description of the project that admins see. Leaves out types that are not
 * sold at any location.
 *
 * @param cluster id of this network, by which its own servers are recognized
 */
export function toProject(answers: ProjectAnswers, cluster: string): ProviderProject {
  const { servers, readAt, requests } = answers;
  const ours = servers.filter(({ labels }) => isOurs(labels, cluster)).length;
  const ofNetworks = servers.filter(({ labels }) => networkOf(labels) !== undefined).length;
  return {
    readAt,
    requests,
    servers: { ours, otherNetworks: ofNetworks - ours, others: servers.length - ofNetworks },
    locations: answers.locations.map(({ name, city, country, network_zone: zone }) => ({
      name,
      city,
      country,
      zone,
    })),
    types: answers.types
      .map((type) => toType(type, answers))
      .filter(({ offers }) => offers.some(({ stock }) => stock !== 'ended')),
    sshKeys: answers.keys.map(({ name, fingerprint }) => ({ name, fingerprint })),
  };
}

function toType(type: ServerType, answers: Pick<ProjectAnswers, 'ipv4' | 'readAt'>): ProviderType {
  const { name, cores, memory, architecture } = type;
  return {
    name,
    cores,
    architecture,
    memoryGb: memory,
    serviceRamMb: ramForServicesMb(memory),
    offers: type.locations.flatMap((place) => toOffer(type, place, answers)),
  };
}

/**
 * Returns the offer of a type in one location; an empty list if the type has no price there and therefore cannot be
 * ordered.
 */
function toOffer(
  { prices }: ServerType,
  { name, available, deprecation }: ServerType['locations'][number],
  { ipv4, readAt }: Pick<ProjectAnswers, 'ipv4' | 'readAt'>,
): ProviderOffer[] {
  const price = prices.find(({ location }) => location === name);
  if (price === undefined) return [];
  const address = ipv4.get(name);
  const monthly = price.price_monthly?.net ?? null;
  const isEnded = deprecation !== null && deprecation.unavailable_after <= readAt;
  return [
    {
      location: name,
      perHour: toEuro(price.price_hourly.net + (address?.perHour ?? 0)),
      perMonth: monthly === null ? null : toEuro(monthly + (address?.perMonth ?? 0)),
      stock: isEnded ? 'ended' : available ? 'available' : 'sold-out',
    },
  ];
}
