/**
 * Distributes slots to the holders with the fewest spare slots first, so that as many holders as possible have an
 * equal number of spare slots afterwards.
 *
 * Example: 7 slots for holders with 0, 2 and 9 spare → 5, 2 and 0. With 6 of the slots, the first two holders have 4
 * spare slots each. The first holder also gets the remaining slot.
 *
 * @param room slots to distribute
 * @param spares spare slots of each holder
 * @returns slots for each holder, in the same order. Their sum is `room`, or 0 if `room` is negative or the list is
 *   empty
 */
export function evenShares(room: number, spares: readonly number[]): number[] {
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
