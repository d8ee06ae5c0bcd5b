/** Maximum number of parallel transfers in the contract (`parallelTransfers`). */
export const MOST_TRANSFERS = 10;

/** Returns the typed number of parallel transfers. Null if the text is not a valid number. */
export function keptNumber(typed: string): number | null {
  const count = /^\d+$/.test(typed.trim()) ? Number(typed) : Number.NaN;
  return count >= 1 && count <= MOST_TRANSFERS ? count : null;
}
