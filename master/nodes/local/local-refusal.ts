/** Facts that decide whether a master may run services under its own user. */
export interface LocalServiceFacts {
  /** Whether the master runs services on its own machine. */
  readonly isLocal: boolean;
  /** Whether a person has allowed it with `--local-unsafe`. */
  readonly isAllowed: boolean;
  readonly isRoot: boolean;
  /** Whether the configuration has an API token of the provider. */
  readonly hasToken: boolean;
}

/**
 * Returns why a master must not run services on its own machine, as part of a sentence; null if the master may run
 * them. Such services have all rights of the master's user (docs/adr/0037).
 */
export function whyLocalIsUnsafe(facts: LocalServiceFacts): string | null {
  const { isLocal, isAllowed, isRoot, hasToken } = facts;
  if (!isLocal || isAllowed) return null;
  if (isRoot) return 'they would run as root';
  return hasToken ? "they could read the provider's API token" : null;
}
