import { describe, expect, it } from 'vitest';
import { playersOnProxy } from '#master/link/sessions/player-count.ts';

describe('players on one proxy', () => {
  it('are counted by the plugin if it has reported, whatever the ping returns', () => {
    expect(playersOnProxy({ sessions: 0, pinged: 900, granted: 40 })).toBe(0);
  });

  it("are counted by the ping until the plugin reports, up to the proxy's allowance", () => {
    expect(playersOnProxy({ sessions: null, pinged: 7, granted: 0 })).toBe(7);
    expect(playersOnProxy({ sessions: null, pinged: 900, granted: 40 })).toBe(40);
    expect(playersOnProxy({ sessions: null, pinged: null, granted: 40 })).toBe(0);
  });

  it('never exceed the maximum of a single proxy, even if a ping returns more', () => {
    expect(playersOnProxy({ sessions: null, pinged: 10_000_000_000, granted: 0 })).toBe(20_000);
  });
});
