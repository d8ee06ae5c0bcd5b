/**
 * Returns the sentences that say that the data of a service cannot be saved now, and why.
 *
 * Example: `survival-1 cannot be saved now. The save needs 30 MB …`
 *
 * @param why why the last save failed, as one or more sentences
 */
export function unsavableWords(service: string, why: string): string {
  return `${service} cannot be saved now. ${why}`;
}
