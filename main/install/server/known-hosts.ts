import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { addressOf } from '../../connections/ssh.ts';
import { readHostKey, type HostKey } from './host-key.ts';

/** Host keys that OpenSSH knows for a server. */
export interface KnownHostKeys {
  readonly trusted: readonly HostKey[];
  /** Keys that must never be accepted. */
  readonly revoked: readonly HostKey[];
}

/** Address of an SSH server. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Returns the files in which OpenSSH keeps host keys on this computer. The first one is the person's own file, and
 * messages name it.
 */
export function knownHostsFiles(home = homedir()): readonly string[] {
  const own = join(home, '.ssh', 'known_hosts');
  return process.platform === 'win32' ? [own] : [own, '/etc/ssh/ssh_known_hosts'];
}

/** Reads the host keys of a server from files in OpenSSH's format. A file that cannot be read counts as empty. */
export async function readKnownHosts(
  address: ServerAddress,
  files: readonly string[],
): Promise<KnownHostKeys> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return findHostKeys(texts.join('\n'), address);
}

/**
 * Finds the keys of a server in the content of a `known_hosts` file (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT). Lines of
 * certificate authorities and lines that cannot be parsed are skipped.
 */
export function findHostKeys(text: string, { host, port }: ServerAddress): KnownHostKeys {
  const name = port === 22 ? host.toLowerCase() : nameWithPort(host, port);
  const trusted: HostKey[] = [];
  const revoked: HostKey[] = [];
  for (const line of text.split('\n')) {
    const fields = line.trim().split(/\s+/);
    const marker = fields[0]?.startsWith('@') === true ? fields.shift() : undefined;
    const [patterns = '', , blob = ''] = fields;
    if (patterns.startsWith('#') || (marker !== undefined && marker !== '@revoked')) continue;
    if (!matches(patterns, name)) continue;
    const key = parse(blob);
    if (key !== null) (marker === '@revoked' ? revoked : trusted).push(key);
  }
  return { trusted, revoked };
}

/** Returns the name under which OpenSSH stores a server whose port is not 22: `[host]:port`. */
function nameWithPort(host: string, port: number): string {
  const address = addressOf({ host: host.toLowerCase(), port });
  return address.startsWith('[') ? address : `[${host.toLowerCase()}]:${port}`;
}

function parse(blob: string): HostKey | null {
  try {
    return readHostKey(Buffer.from(blob, 'base64'));
  } catch {
    return null;
  }
}

/**
 * Returns whether a host name matches the first field of a line. The field is a comma-separated list of patterns, or
 * one hashed name.
 */
function matches(field: string, name: string): boolean {
  if (field.startsWith('|1|')) {
    const [, , salt = '', hash = ''] = field.split('|');
    return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === hash;
  }
  const patterns = field.toLowerCase().split(',');
  const denied = patterns.some((pattern) => pattern.startsWith('!') && matchesOne(pattern.slice(1), name));
  return !denied && patterns.some((pattern) => !pattern.startsWith('!') && matchesOne(pattern, name));
}

function matchesOne(pattern: string, name: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`).test(name);
}
