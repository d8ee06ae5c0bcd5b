import type { ProviderOffer, ProviderProject, ProviderType } from '#shared/model/provider.ts';
import type { Hue } from '../ui/hue.ts';
import { toMoney } from './format/money.ts';
import { toCount, toCountOf } from './format/numbers.ts';

/** Rules that restrict which servers may be ordered. */
export interface ServerRules {
  /** Prefix of the allowed server types. */
  readonly prefix: string;
  readonly blocked: readonly string[];
  /** Allowed locations, the preferred one first. */
  readonly locations: readonly string[];
}

/** A choice with a title and one line of facts. */
export interface Card {
  readonly value: string;
  readonly label: string;
  readonly text: string;
}

/** A server type as a row of a table. */
export interface TypeRow {
  readonly name: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly serviceRamMb: number;
  /** Offer in the first allowed location that sells the type. Null if no allowed location sells it. */
  readonly offer: ProviderOffer | null;
  /** Whether the rules allow orders of this type. Whether the type is in stock does not matter. */
  readonly allowed: boolean;
  readonly stock: { readonly hue: Hue; readonly word: string };
}

/**
 * Returns the locations as cards. Each card says how many allowed types are in stock there, and their lowest price.
 */
export function toLocationCards(project: ProviderProject, rules: ServerRules, chosen: string): Card[] {
  const cards = project.locations.map(({ name, city, country, zone }) => ({
    value: name,
    label: `${name} · ${city}, ${country}`,
    text: `${zone}. ${stockWords(project, rules, name)}`,
  }));
  if (chosen === '' || cards.some(({ value }) => value === chosen)) return cards;
  return [...cards, { value: chosen, label: chosen, text: 'The provider has no such location.' }];
}

/** Describes the allowed types in a location. Example: `5 types in stock, from €0.032 / h.` */
function stockWords({ types }: ProviderProject, rules: ServerRules, location: string): string {
  const offers = types
    .filter(({ name }) => isAllowed(name, rules))
    .flatMap(({ offers: all }) => all.filter((offer) => offer.location === location && isSold(offer)));
  const inStock = offers.filter(({ stock }) => stock === 'available');
  if (offers.length === 0) return 'None of the allowed types is sold here.';
  if (inStock.length === 0) return 'All allowed types are sold out now.';
  const cheapest = Math.min(...inStock.map(({ perHour }) => perHour));
  return `${toCountOf(inStock.length, 'type')} in stock, from ${toMoney(cheapest)} / h.`;
}

/**
 * Returns a card for each family of server types. A family is a prefix that `provider.server_type` can have. The
 * chosen prefix has a card even if the provider has no such type.
 */
export function toFamilyCards({ types }: ProviderProject, rules: ServerRules): Card[] {
  const prefixes = [...new Set(types.map(({ name }) => familyOf(name)))].sort();
  const all = rules.prefix === '' || prefixes.includes(rules.prefix) ? prefixes : [...prefixes, rules.prefix];
  return all.map((prefix) => {
    const members = types.filter(({ name }) => name.startsWith(prefix));
    return { value: prefix, label: prefix, text: familyWords(members, rules.locations) };
  });
}

/** Returns the family of a server type. Example: `cpx22` gives `cpx`. */
function familyOf(type: string): string {
  return /^[a-z]+/.exec(type)?.[0] ?? type;
}

/** Describes a family of server types. Example: `6 types, 2 to 32 GB, x86. In stock, from €0.019 / h.` */
function familyWords(types: readonly ProviderType[], locations: readonly string[]): string {
  if (types.length === 0) return 'No server type begins with this.';
  const sizes = types.map(({ memoryGb }) => memoryGb);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const range = least === most ? `${least} GB` : `${least} to ${most} GB`;
  const architectures = [...new Set(types.map(({ architecture }) => architecture))].join(', ');
  const here = types.flatMap((type) => offersIn(type, locations)).filter(isSold);
  const inStock = here.filter(({ stock }) => stock === 'available');
  const price = Math.min(...(inStock.length > 0 ? inStock : here).map(({ perHour }) => perHour));
  const inPlaces =
    here.length === 0
      ? 'Not sold in the chosen locations.'
      : `${inStock.length === 0 ? 'Sold out now' : 'In stock'}, from ${toMoney(price)} / h.`;
  return `${toCountOf(types.length, 'type')}, ${range}, ${architectures}. ${inPlaces}`;
}

/** Returns the server types that begin with the prefix of the rules, as rows, the smallest type first. */
export function toTypeRows({ types }: ProviderProject, rules: ServerRules): TypeRow[] {
  return types
    .filter(({ name }) => name.startsWith(rules.prefix))
    .map((type): TypeRow => {
      const { name, cores, memoryGb, serviceRamMb } = type;
      const offers = offersIn(type, rules.locations).filter(isSold);
      const offer = offers.find(({ stock }) => stock === 'available') ?? offers[0] ?? null;
      const allowed = isAllowed(name, rules);
      return { name, cores, memoryGb, serviceRamMb, offer, allowed, stock: toStock(offers) };
    })
    .sort((a, b) => a.memoryGb - b.memoryGb || (a.name < b.name ? -1 : 1));
}

function toStock(offers: readonly ProviderOffer[]): TypeRow['stock'] {
  if (offers.length === 0) return { hue: 'neutral', word: 'Not sold here' };
  const places = offers.filter(({ stock }) => stock === 'available').map(({ location }) => location);
  return places.length === 0
    ? { hue: 'warn', word: 'Sold out now' }
    : { hue: 'ok', word: `In stock: ${places.join(', ')}` };
}

/** Returns a type's offers in the given locations, in the order of the locations. */
function offersIn({ offers }: ProviderType, locations: readonly string[]): ProviderOffer[] {
  return locations.flatMap((place) => offers.filter(({ location }) => location === place));
}

function isAllowed(type: string, { prefix, blocked }: ServerRules): boolean {
  return type.startsWith(prefix) && !blocked.includes(type);
}

function isSold({ stock }: ProviderOffer): boolean {
  return stock !== 'ended';
}

/** Describes the content of a tested project in sentences. */
export function projectWords({ servers, sshKeys, requests }: ProviderProject): string[] {
  const { ours, otherNetworks, others } = servers;
  const all = ours + otherNetworks + others;
  const parts = [
    ...(ours > 0 ? [`${toCount(ours)} of this network`] : []),
    ...(otherNetworks > 0 ? [`${toCount(otherNetworks)} of other networks`] : []),
    ...(others > 0 ? [`${toCount(others)} that Overworld did not order`] : []),
  ];
  const content = all === 0 ? 'no servers' : `${toCountOf(all, 'server')} (${parts.join(', ')})`;
  return [
    'It can read and write.',
    `Its project has ${content} and ${toCountOf(sshKeys.length, 'SSH key')}.`,
    `${toCount(requests.left)} of ${toCount(requests.perHour)} requests per hour are left.`,
    'How many servers the account may have is not part of the API: the provider’s console shows it.',
  ];
}
