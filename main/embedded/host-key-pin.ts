/** How to handle the host key that the embedded master announced. */
export type PinDecision =
  { readonly kind: 'trust'; readonly pin: boolean } | { readonly kind: 'refuse'; readonly expected: string };

/**
 * Decides what to do with the host key that the embedded master announced. The data folder contains the master's key.
 * So a key that differs from the pinned one is accepted only if this folder was new or empty when the master started.
 *
 * @param pinned null if no key has been pinned yet; then any key is accepted and pinned
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
