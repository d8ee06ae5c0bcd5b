import { BlockList, isIP } from 'node:net';
import { InvalidArgumentError, Option } from 'commander';

/** Where the provider's API is asked in place of its own address. */
export function providerUrlOption(): Option {
  return new Option('--provider-url <url>', "address of the provider's API, as through a proxy").argParser(
    parseProviderUrl,
  );
}

const near = new BlockList();
near.addSubnet('127.0.0.0', 8);
near.addSubnet('10.0.0.0', 8);
near.addSubnet('172.16.0.0', 12);
near.addSubnet('192.168.0.0', 16);
near.addAddress('::1', 'ipv6');

/** Each request carries the token, so it goes in the clear only where nobody else listens. */
export function parseProviderUrl(text: string): string {
  const { protocol, hostname } = URL.canParse(text) ? new URL(text) : { protocol: '', hostname: '' };
  const address = hostname.replace(/^\[|\]$/g, '');
  const isNear = isIP(address) !== 0 && near.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  if (protocol === 'https:' || (protocol === 'http:' && isNear)) return text;
  throw new InvalidArgumentError('It must be an https address; http only for a private IP address.');
}
