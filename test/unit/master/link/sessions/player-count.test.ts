import { describe, expect, it } from 'vitest';
import { playersOnProxy } from '#master/link/sessions/player-count.ts';

describe('the number of players on one proxy', () => {
  it("is the plugin's number once the plugin has reported, whatever the ping says", () => {
    expect(playersOnProxy({ sessions: 0, pinged: 900, granted: 40 })).toBe(0);
  });

  it("is the ping's number until the plugin reports, but at most the proxy's player slots", () => {
    expect(playersOnProxy({ sessions: null, pinged: 7, granted: 0 })).toBe(7);
    expect(playersOnProxy({ sessions: null, pinged: 900, granted: 40 })).toBe(40);
    expect(playersOnProxy({ sessions: null, pinged: null, granted: 40 })).toBe(0);
  });

  it('never exceeds the maximum of a single proxy, even if a ping reports more', () => {
    expect(playersOnProxy({ sessions: null, pinged: 10_000_000_000, granted: 0 })).toBe(20_000);
  });
});
