/**
 * Distributes slots to those with the fewest first, so that as many as possible have the same number afterwards.
 *
 * Example: 7 slots for holders with 0, 2 and 9 spare → 5, 2 and 0: the first two then have 4 each, and the slot
 * that is left goes to the first.
 *
 * @param room slots to distribute
 * @param spares spare slots that each one already has
 * @returns what each one gets, in the same order; the sum is `room` unless the list is empty
 */
export function spread(room: number, spares: readonly number[]): number[] {
  const order = spares
    .map((spare, index) => ({ spare, index }))
    .sort((a, b) => a.spare - b.spare || a.index - b.index);
  const shares = spares.map(() => 0);
  if (room <= 0) return shares;
  for (let poorest = order.length; poorest > 0; poorest--) {
    const some = order.slice(0, poorest);
    const sum = some.reduce((all, { spare }) => all + spare, 0);
    const level = Math.floor((room + sum) / poorest);
    if (level < (some.at(-1)?.spare ?? 0)) continue;
    let left = room + sum - level * poorest;
    for (const { spare, index } of some) {
      shares[index] = level - spare + (left > 0 ? 1 : 0);
      left -= 1;
    }
    break;
  }
  return shares;
}
