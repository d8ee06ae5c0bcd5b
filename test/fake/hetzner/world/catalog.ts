/**
 * Locations and server types of the fake, with their names and net list prices of August/September 2026 (EUR, without
 * IPv4).
 */

export interface LocationRecord {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly country: string;
  readonly city: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly network_zone: string;
}

function location(
  id: number,
  [name, country, city, zone]: readonly [string, string, string, string],
): LocationRecord {
  return {
    id,
    name,
    description: `${city} DC Park 1`,
    country,
    city,
    latitude: 49.4,
    longitude: 11.1,
    network_zone: zone,
  };
}

export const locations: readonly LocationRecord[] = [
  location(1, ['fsn1', 'DE', 'Falkenstein', 'eu-central']),
  location(2, ['nbg1', 'DE', 'Nuremberg', 'eu-central']),
  location(3, ['hel1', 'FI', 'Helsinki', 'eu-central']),
  location(4, ['ash', 'US', 'Ashburn, VA', 'us-east']),
  location(5, ['hil', 'US', 'Hillsboro, OR', 'us-west']),
  location(6, ['sin', 'SG', 'Singapore', 'ap-southeast']),
];

export interface TypeRecord {
  readonly id: number;
  readonly name: string;
  readonly cores: number;
  /** Size in GB; may be fractional. */
  readonly memory: number;
  readonly disk: number;
  readonly architecture: 'x86' | 'arm';
  readonly cpuType: 'shared' | 'dedicated';
  /** Net price per month without IPv4 (EUR). */
  readonly monthly: number;
  readonly locations: readonly string[];
}

const EVERYWHERE = locations.map(({ name }) => name);
const EUROPE = ['fsn1', 'nbg1', 'hel1'];

const shared = { architecture: 'x86', cpuType: 'shared', locations: EUROPE } as const;
const arm = { architecture: 'arm', cpuType: 'shared', locations: EUROPE } as const;
const dedicated = { architecture: 'x86', cpuType: 'dedicated', locations: EVERYWHERE } as const;

export const serverTypes: readonly TypeRecord[] = [
  { id: 114, name: 'cx23', cores: 2, memory: 4, disk: 40, monthly: 5.49, ...shared },
  { id: 115, name: 'cx33', cores: 4, memory: 8, disk: 80, monthly: 8.49, ...shared },
  { id: 45, name: 'cax11', cores: 2, memory: 4, disk: 40, monthly: 5.99, ...arm },
  { id: 93, name: 'cax21', cores: 4, memory: 8, disk: 80, monthly: 10.49, ...arm },
  {
    id: 22,
    name: 'cpx11',
    cores: 2,
    memory: 2,
    disk: 40,
    monthly: 4.99,
    ...shared,
    locations: ['ash', 'hil'],
  },
  { id: 108, name: 'cpx12', cores: 1, memory: 2, disk: 40, monthly: 11.49, ...shared },
  { id: 109, name: 'cpx22', cores: 2, memory: 4, disk: 80, monthly: 19.49, ...shared },
  { id: 110, name: 'cpx32', cores: 4, memory: 8, disk: 160, monthly: 35.49, ...shared },
  { id: 111, name: 'cpx42', cores: 8, memory: 16, disk: 320, monthly: 69.49, ...shared },
  { id: 112, name: 'cpx52', cores: 12, memory: 24, disk: 480, monthly: 100.49, ...shared },
  { id: 113, name: 'cpx62', cores: 16, memory: 32, disk: 640, monthly: 129.99, ...shared },
  { id: 33, name: 'ccx13', cores: 2, memory: 8, disk: 80, monthly: 42.99, ...dedicated },
  { id: 34, name: 'ccx23', cores: 4, memory: 16, disk: 160, monthly: 85.99, ...dedicated },
];

/** Net price per month of a primary IPv4 (EUR); IPv6 is free. */
export const IPV4_MONTHLY = 0.5;

/** Number of hours whose price equals the monthly price. */
const HOURS_PER_MONTH = 624;

/** Returns a price in the API's format, with decimal strings. */
export function toPrice(monthly: number): object {
  const amount = (net: number): object => ({ net: net.toFixed(10), gross: (net * 1.19).toFixed(16) });
  return { price_hourly: amount(monthly / HOURS_PER_MONTH), price_monthly: amount(monthly) };
}

export interface ImageRecord {
  readonly id: number;
  readonly name: string;
  readonly flavor: 'debian' | 'ubuntu' | 'fedora';
  readonly version: string;
  readonly architecture: 'x86' | 'arm';
  readonly deprecated: string | null;
}

function system(
  id: number,
  [flavor, version]: readonly [ImageRecord['flavor'], string],
  deprecated?: string,
): ImageRecord[] {
  const image = { name: `${flavor}-${version}`, flavor, version, deprecated: deprecated ?? null };
  return [
    { id, architecture: 'x86', ...image },
    { id: id + 1, architecture: 'arm', ...image },
  ];
}

export const images: readonly ImageRecord[] = [
  ...system(45557056, ['debian', '11'], '2026-08-31T00:00:00+00:00'),
  ...system(114690387, ['debian', '12']),
  ...system(310557660, ['debian', '13']),
  ...system(161547269, ['ubuntu', '24.04']),
  ...system(292000000, ['fedora', '42']),
];
