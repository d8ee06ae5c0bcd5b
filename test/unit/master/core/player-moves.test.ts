import fc from 'fast-check';
import { expect, it } from 'vitest';
import { planMoves, type MoveTarget } from '#master/core/player-moves.ts';

const target = (id: string, [online, max]: readonly [number, number], restricted = false): MoveTarget => ({
  ...{ id, online, max, restricted },
});

it('planMoves sends players to the fullest fallback with room first, and to restricted fallbacks last', () => {
  const targets = [target('vip-1', [9, 10], true), target('lobby-2', [10, 50]), target('lobby-1', [49, 50])];
  expect(planMoves(['ana', 'bo', 'cy'], targets)).toEqual([
    { player: 'ana', to: 'lobby-1' },
    { player: 'bo', to: 'lobby-2' },
    { player: 'cy', to: 'lobby-2' },
  ]);
  expect(planMoves(['ana', 'bo'], [target('vip-1', [9, 10], true)])).toEqual([
    { player: 'ana', to: 'vip-1' },
  ]);
});

it('planMoves moves as many players as possible without exceeding the slots of any fallback', () => {
  const fallback = fc.record({
    id: fc.constant(''),
    ...{ online: fc.nat(20), max: fc.integer({ min: 1, max: 20 }), restricted: fc.boolean() },
  });
  fc.assert(
    fc.property(fc.nat(60), fc.array(fallback, { maxLength: 5 }), (count, all) => {
      const targets = all.map((one, n) => ({ ...one, id: `lobby-${n}` }));
      const moves = planMoves([...Array(count).keys()], targets);
      const room = ({ online, max }: MoveTarget): number => Math.max(0, max - online);
      const total = targets.reduce((sum, one) => sum + room(one), 0);
      expect(moves).toHaveLength(Math.min(count, total));
      for (const one of targets)
        expect(moves.filter(({ to }) => to === one.id).length).toBeLessThanOrEqual(room(one));
    }),
  );
});
