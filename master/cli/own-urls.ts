import { BlockList, isIP } from 'node:net';
import { InvalidArgumentError, Option } from 'commander';

/**
 * Defines the option for the URL of the provider's API. Its value can also be set in the environment, because the app
 * starts its embedded master without such options.
 */
export function providerUrlOption(): Option {
  return new Option('--provider-url <url>', "address of the provider's API, for example through a proxy")
    .env('OVERWORLD_PROVIDER_URL')
    .argParser(parseOwnUrl);
}

/**
 * Defines the option for a mirror of the publishers of server software, for masters without internet access. Its
 * value can also be set in the environment, because the app starts its embedded master without such options.
 */
export function softwareMirrorOption(): Option {
  return new Option(
    '--software-mirror <url>',
    'address of a mirror of PaperMC, Purpur, Mojang and Fabric, with the folders papermc, purpur, vanilla and fabric',
  )
    .env('OVERWORLD_SOFTWARE_MIRROR')
    .argParser(parseOwnUrl);
}

/**
 * Defines the option for the contact that the master sends to the publishers of server software with each request.
 */
export function contactOption(): Option {
  return new Option(
    '--contact <contact>',
    'e-mail address or URL at which the publishers of server software can reach you',
  )
    .env('OVERWORLD_CONTACT')
    .argParser(parseContact);
}

/** Maximum length of a contact. */
const MAX_CONTACT = 200;

/**
 * Parses a contact: an e-mail address or an HTTP URL of at most 200 characters. It becomes a part of an HTTP header.
 *
 * @throws InvalidArgumentError
 */
export function parseContact(text: string): string {
  const isAddress = /^[\w.+-]+@[\w-]+(\.[\w-]+)+$/.test(text);
  const isUrl = /^https?:\/\/[\x21-\x7e]+$/.test(text) && !/[()\\;]/.test(text);
  if (text.length <= MAX_CONTACT && (isAddress || isUrl)) return text;
  throw new InvalidArgumentError(
    'It must be an e-mail address or a URL such as https://example.org/contact.',
  );
}

const near = new BlockList();
near.addSubnet('127.0.0.0', 8);
near.addSubnet('10.0.0.0', 8);
near.addSubnet('172.16.0.0', 12);
near.addSubnet('192.168.0.0', 16);
near.addAddress('::1', 'ipv6');

/**
 * Parses the URL of a service to which the master sends its token, or from which it gets files to run. Because of
 * this trust, plain HTTP is allowed only for private IP addresses.
 *
 * @throws InvalidArgumentError
 */
export function parseOwnUrl(text: string): string {
  const { protocol, hostname } = URL.canParse(text) ? new URL(text) : { protocol: '', hostname: '' };
  const address = hostname.replace(/^\[|\]$/g, '');
  const isNear = isIP(address) !== 0 && near.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  if (protocol === 'https:' || (protocol === 'http:' && isNear)) return text;
  throw new InvalidArgumentError('It must be an https address; http only for a private IP address.');
}
