/** What to do with the host key that the embedded master announced. */
export type PinDecision =
  { readonly kind: 'trust'; readonly pin: boolean } | { readonly kind: 'refuse'; readonly expected: string };

/**
 * Compares an announced host key with the pinned one. Another key is fine only where the master's data folder, in
 * which the key lives, was new at its start: then it had to make one.
 */
export function decideOnHostKey(
  announced: string,
  pinned: string | null,
  folderWasNew: boolean,
): PinDecision {
  if (announced === pinned) return { kind: 'trust', pin: false };
  if (pinned === null || folderWasNew) return { kind: 'trust', pin: true };
  return { kind: 'refuse', expected: pinned };
}
