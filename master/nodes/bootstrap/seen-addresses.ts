/** Addresses from which the nodes see the master. */
export interface SeenAddresses {
  /** Addresses that count. */
  readonly addresses: readonly string[];
  /** Whether each node's report is among them. Otherwise a node may see the master at another address, or lies. */
  readonly isComplete: boolean;
}

/**
 * Chooses the reports that count. The firewall opens the services of all nodes to these addresses, so the word of one
 * compromised node must not be enough. An address counts if two nodes report it, if it is the master's own, or if no
 * node reports another one.
 *
 * Example: three nodes report `a`, `a` and `b`, and `b` is not the master's own → `a`, not complete.
 *
 * @param reports the address that each node reports
 * @param isOwn reports whether this machine has an address, or a person has configured it
 */
export function chooseSeenAddresses(
  reports: readonly string[],
  isOwn: (address: string) => boolean,
): SeenAddresses {
  const different = [...new Set(reports)].sort();
  const counts = (address: string): boolean =>
    different.length === 1 || isOwn(address) || reports.filter((one) => one === address).length > 1;
  const addresses = different.filter(counts);
  return { addresses, isComplete: addresses.length === different.length };
}
