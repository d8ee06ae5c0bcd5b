/** Source addresses of the master's connections, as reported by its nodes. */
export interface SeenAddresses {
  /** Addresses that are accepted by {@link chooseSeenAddresses}. */
  readonly addresses: readonly string[];
  /**
   * Whether the address that each node reports is one of `addresses`. If not, a node may see the master at another
   * address, or its report may be false.
   */
  readonly isComplete: boolean;
}

/**
 * Chooses the reported addresses that are accepted. The firewall opens the services of all nodes to these addresses,
 * so a report of one compromised node must not be enough. An address is accepted if at least two nodes report it, if
 * it is the master's own, or if no node reports a different address.
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
