/** How to handle the host key that the embedded master announced. */
export type PinDecision =
  { readonly kind: 'trust'; readonly pin: boolean } | { readonly kind: 'refuse'; readonly expected: string };

/**
 * Compares an announced host key with the pinned one. A different key is accepted only if the master's data folder,
 * which contains the key, was created at this start.
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
