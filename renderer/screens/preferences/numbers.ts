/** As the contract allows (`parallelTransfers`). */
export const MOST_TRANSFERS = 10;

/** The number of parallel transfers that was typed, or null where it is none that can be kept. */
export function keptNumber(typed: string): number | null {
  const count = /^\d+$/.test(typed.trim()) ? Number(typed) : Number.NaN;
  return count >= 1 && count <= MOST_TRANSFERS ? count : null;
}
