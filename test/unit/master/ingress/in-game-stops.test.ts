import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideInGameStop, InGameStops, STOPS_PER_MINUTE } from '#master/ingress/in-game-stops.ts';

const MINUTE = 60_000;

describe('decideInGameStop (limits how often a proxy may stop services)', () => {
  it('allows a proxy at most the limit of stops in any minute', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 30_000 }), { maxLength: 200 }), (pauses) => {
        let recent: readonly number[] = [];
        const allowed: number[] = [];
        let now = 0;
        for (const pause of pauses) {
          now += pause;
          const decision = decideInGameStop(recent, now);
          if (decision.kind === 'allowed') allowed.push(now);
          ({ recent } = decision);
          expect(recent.length).toBeLessThanOrEqual(STOPS_PER_MINUTE);
        }
        for (const first of allowed) {
          const within = allowed.filter((at) => at >= first && at < first + MINUTE);
          expect(within.length).toBeLessThanOrEqual(STOPS_PER_MINUTE);
        }
      }),
    );
  });

  it('allows the next stop exactly when the waiting time in the refusal has passed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 10_000 }), { minLength: STOPS_PER_MINUTE, maxLength: STOPS_PER_MINUTE }),
        (pauses) => {
          let recent: readonly number[] = [];
          let now = 0;
          for (const pause of pauses) {
            now += pause;
            ({ recent } = decideInGameStop(recent, now));
          }
          const refused = decideInGameStop(recent, now);
          if (refused.kind !== 'refused') throw new Error('more stops were allowed than the limit');
          expect(decideInGameStop(refused.recent, now + refused.waitMs - 1).kind).toBe('refused');
          expect(decideInGameStop(refused.recent, now + refused.waitMs).kind).toBe('allowed');
        },
      ),
    );
  });
});

describe('a request to stop a service from within the game', () => {
  it('is refused if the setting is off, and the error names the setting', () => {
    const stops = new InGameStops(() => 0);
    expect(() => stops.admit('proxy-1', false)).toThrow(
      expect.objectContaining({
        code: 'IN_GAME_STOP_OFF',
        message: expect.stringContaining('access.in_game_stop') as string,
      }),
    );
  });

  it('is limited per proxy, and a refused request does not count towards the limit', () => {
    let now = 0;
    const stops = new InGameStops(() => now);
    for (let i = 0; i < STOPS_PER_MINUTE; i++) stops.admit('proxy-1', true);
    for (let i = 0; i < 100; i++) {
      expect(() => stops.admit('proxy-1', true)).toThrow(
        expect.objectContaining({
          code: 'IN_GAME_STOP_LIMIT',
          details: { proxy: 'proxy-1', limit: STOPS_PER_MINUTE, seconds: 60 },
        }),
      );
    }
    expect(() => stops.admit('proxy-2', true)).not.toThrow();
    now = MINUTE;
    expect(() => stops.admit('proxy-1', true)).not.toThrow();
  });
});
