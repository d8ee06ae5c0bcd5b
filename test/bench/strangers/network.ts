import { writeFile } from 'node:fs/promises';
import { run } from '../../../build/scripts/run.mjs';

/** Addresses of a master, and of the strangers who attack it. */
export interface AttackNetwork {
  /** Address of the master, for both ports. */
  readonly host: string;
  /** Groups of strangers. Each attack comes from one group. A group uses different addresses for each attack. */
  readonly groups: readonly {
    readonly name: string;
    readonly addresses: (attack: number) => readonly string[];
  }[];
}

const ADDRESSES = 64;

/** Addresses without a separate network: IPv4's loopback network, in which all addresses exist. */
export const loopback: AttackNetwork = {
  host: '127.0.0.1',
  groups: [{ name: 'one address', addresses: (attack) => [`127.0.1.${attack + 1}`] }],
};

/** IPv6 address of the master in a separate network. */
const HOST = 'fd00::1';

/** Adds IPv6 addresses for the master and all strangers to the network namespace of this process. */
export async function openAttackNetwork(): Promise<AttackNetwork> {
  for (const args of [
    ['-6', 'address', 'add', `${HOST}/128`, 'dev', 'lo', 'nodad'],
    ['-6', 'route', 'add', 'local', 'fd01::/16', 'dev', 'lo'],
  ]) {
    const { code, output } = await run('ip', args);
    if (code !== 0) throw new Error(`ip ${args.join(' ')}: ${output}`);
  }
  // The addresses of the route belong to no interface. With this setting, programs can still use them.
  await writeFile('/proc/sys/net/ipv6/ip_nonlocal_bind', '1');
  const many = (name: (n: number) => string): readonly string[] =>
    Array.from({ length: ADDRESSES }, (_, n) => name(n + 1));
  return {
    host: HOST,
    groups: [
      { name: 'one address', addresses: (attack) => [`fd01:1:${attack}::1`] },
      { name: `${ADDRESSES} of one /64`, addresses: (attack) => many((n) => `fd01:2:${attack}::${n}`) },
      { name: `${ADDRESSES} networks`, addresses: (attack) => many((n) => `fd01:3:${attack}:${n}::1`) },
    ],
  };
}
