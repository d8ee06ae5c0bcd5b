import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  planMoves,
  type MoveSituation,
  type MoveTarget,
  type RecentMove,
} from '#master/core/player-moves.ts';

const target = (id: string, [online, max]: readonly [number, number], restricted = false): MoveTarget => ({
  ...{ id, online, max, restricted },
});

/** Plans the moves of players on arena-1, which drains. Returns lines such as `ana lobby-1`. */
function movesOf(
  names: readonly string[],
  targets: readonly MoveTarget[],
  change: Partial<MoveSituation> = {},
): string[] {
  const players = names.map((uuid) => ({ uuid, server: 'arena-1' }));
  const situation = { players, targets, draining: new Set(['arena-1']), recent: new Map(), now: 60_000 };
  return planMoves({ ...situation, ...change }).map(({ uuid, to }) => `${uuid} ${to}`);
}

it('planMoves sends players to the fullest fallback with room first, and to restricted fallbacks last', () => {
  const targets = [target('vip-1', [9, 10], true), target('lobby-2', [10, 50]), target('lobby-1', [49, 50])];
  expect(movesOf(['ana', 'bo', 'cy'], targets)).toEqual(['ana lobby-1', 'bo lobby-2', 'cy lobby-2']);
  expect(movesOf(['ana', 'bo'], [target('vip-1', [9, 10], true)])).toEqual(['ana vip-1']);
});

it('planMoves moves neither players on other servers nor players whom it has just moved', () => {
  const players = [
    { uuid: 'ana', server: null },
    { uuid: 'bo', server: 'arena-2' },
    { uuid: 'cy', server: 'arena-1' },
    { uuid: 'di', server: 'arena-1' },
  ];
  const recent = new Map([['cy', { at: 51_000, from: 'arena-1', to: 'lobby-1' }]]);
  expect(movesOf([], [target('lobby-1', [0, 50])], { players, recent })).toEqual(['di lobby-1']);
});

it('planMoves moves at most 50 players of each draining service per second', () => {
  const players = Array.from({ length: 160 }, (_, n) => ({ uuid: `${n}`, server: `arena-${(n % 2) + 1}` }));
  const draining = new Set(['arena-1', 'arena-2']);
  const recent = new Map<string, RecentMove>([
    ['gone', { at: 59_001, from: 'arena-1', to: 'lobby-1' }],
    ['earlier', { at: 59_000, from: 'arena-1', to: 'lobby-1' }],
    ['unreachable', { at: 60_000, from: 'arena-1', to: null }],
  ]);
  const targets = [target('lobby-1', [0, 500])];
  const moves = planMoves({ players, draining, targets, recent, now: 60_000 });
  expect(moves.filter(({ from }) => from === 'arena-1')).toHaveLength(49);
  expect(moves.filter(({ from }) => from === 'arena-2')).toHaveLength(50);
});

it('planMoves moves as many players as possible without exceeding the slots of a fallback', () => {
  const fallback = fc.record({
    id: fc.constant(''),
    ...{ online: fc.nat(20), max: fc.integer({ min: 1, max: 20 }), restricted: fc.boolean() },
  });
  // Each number is the index of the fallback to which a player is moving.
  const underWay = fc.array(fc.nat(4), { maxLength: 40 });
  fc.assert(
    fc.property(fc.nat(60), fc.array(fallback, { maxLength: 5 }), underWay, (count, all, sent) => {
      const targets = all.map((one, n) => ({ ...one, id: `lobby-${n}` }));
      const recent = new Map(
        sent.map((to, n) => [`sent-${n}`, { at: 0, from: 'arena-1', to: `lobby-${to}` }]),
      );
      const waiting = Array.from({ length: count }, (_, n) => `waiting-${n}`);
      const moves = movesOf([...recent.keys(), ...waiting], targets, { recent });
      const room = ({ id, online, max }: MoveTarget): number =>
        Math.max(0, max - online - [...recent.values()].filter(({ to }) => to === id).length);
      const total = targets.reduce((sum, one) => sum + room(one), 0);
      expect(moves).toHaveLength(Math.min(count, total, 50));
      for (const one of targets)
        expect(moves.filter((line) => line.endsWith(` ${one.id}`)).length).toBeLessThanOrEqual(room(one));
    }),
  );
});
