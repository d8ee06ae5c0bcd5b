interface Address {
  readonly host: string;
  readonly port: number;
}

/** Services of the master's own machine are known by a loopback address, which means another machine elsewhere. */
export function addressForOthers({ host, port }: Address, ownHost: string): Address {
  return { host: host === '127.0.0.1' ? ownHost : host, port };
}
