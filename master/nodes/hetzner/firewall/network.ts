import { isIPv4 } from 'node:net';

/**
 * Returns a CIDR network in canonical form: without host bits, which the provider refuses, and IPv6 in lower case
 * and shortened.
 *
 * Example: `10.0.0.7/24` gives `10.0.0.0/24`.
 */
export function toNetwork(cidr: string): string {
  const [address = '', prefix = ''] = cidr.split('/');
  const isV4 = isIPv4(address);
  const width = isV4 ? 32 : 128;
  const bits = prefix === '' ? width : Number(prefix);
  const hostBits = BigInt(width - bits);
  const number = isV4 ? fromV4(address) : fromV6(address);
  const network = (number >> hostBits) << hostBits;
  return `${isV4 ? toV4(network) : toV6(network)}/${bits}`;
}

function fromV4(address: string): bigint {
  return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
}

function toV4(number: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((number >> shift) & 255n)).join('.');
}

function fromV6(address: string): bigint {
  const [head = '', tail] = withoutDots(address).split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array.from({ length: zeros }, () => '0'), ...right].reduce(
    (sum, group) => sum * 65_536n + BigInt(`0x${group}`),
    0n,
  );
}

/** Converts an IPv4 suffix as in `::ffff:10.0.0.1` to hexadecimal groups. */
function withoutDots(address: string): string {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  if (dotted === null) return address;
  const [, head = '', v4 = ''] = dotted;
  const number = fromV4(v4);
  return `${head}${(number >> 16n).toString(16)}:${(number & 65_535n).toString(16)}`;
}

function toV6(number: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => (number >> BigInt(112 - 16 * i)) & 65_535n);
  const full = groups.map((group) => group.toString(16)).join(':');
  // The URL parser shortens the longest run of zeros, as WHATWG specifies.
  return new URL(`http://[${full}]/`).hostname.slice(1, -1);
}
