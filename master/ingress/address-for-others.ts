interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Returns an address that other machines can use. A service on the master's own machine has a loopback address,
 * which is replaced by the address of that machine.
 *
 * Example: `127.0.0.1:25566` with own host `198.51.100.7` → `198.51.100.7:25566`.
 */
export function addressForOthers({ host, port }: Address, ownHost: string): Address {
  return { host: host === '127.0.0.1' ? ownHost : host, port };
}
