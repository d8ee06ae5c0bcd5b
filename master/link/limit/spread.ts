/**
 * Hands out slots, to the poorest first, until they are gone: afterwards as many as possible have equally many.
 *
 * Example: 7 slots for holders with 0, 2 and 9 spare → 5, 2 and 0, as both then have 4, and one is left, for the first.
 *
 * @param room slots to hand out
 * @param spares what each has by itself
 * @returns what each gets, in the same order; its sum is `room` unless there is nobody
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
