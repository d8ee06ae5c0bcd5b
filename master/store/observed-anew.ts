/**
 * Documents of `state/` that must never be restored from an older copy. From older records, a master would stop
 * services that are missing in them, and with older shares of the player limit, it could grant slots twice. If the
 * documents are missing, the master observes services and slots anew (docs/operations.md#restoring).
 */
export const OBSERVED_ANEW: readonly string[] = ['services.json', 'allowances.json'];
