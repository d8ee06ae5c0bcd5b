/** Maximum number of parallel transfers in the contract (`parallelTransfers`). */
export const MOST_TRANSFERS = 10;

/** Returns the typed number of parallel transfers, or null if it is invalid. */
export function keptNumber(typed: string): number | null {
  const count = /^\d+$/.test(typed.trim()) ? Number(typed) : Number.NaN;
  return count >= 1 && count <= MOST_TRANSFERS ? count : null;
}
