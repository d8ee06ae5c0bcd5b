import { describe, expect, it } from 'vitest';
import { headcount } from '#master/link/sessions/player-count.ts';

describe('players on one proxy', () => {
  it('are those that the plugin has reported, whatever the ping says', () => {
    expect(headcount({ sessions: 0, pinged: 900, granted: 40 })).toBe(0);
  });

  it("are those of the ping until the plugin has reported, at most as many as the proxy's allowance", () => {
    expect(headcount({ sessions: null, pinged: 7, granted: 0 })).toBe(7);
    expect(headcount({ sessions: null, pinged: 900, granted: 40 })).toBe(40);
    expect(headcount({ sessions: null, pinged: null, granted: 40 })).toBe(0);
  });

  it('are limited to the maximum of one proxy, so that a false ping does not fill the network forever', () => {
    expect(headcount({ sessions: null, pinged: 10_000_000_000, granted: 0 })).toBe(20_000);
  });
});
