import { describe, expect, it } from 'vitest';
import { openAllowances, type AllowanceEvent } from '#master/link/limit/state.ts';
import { decideAllowances } from '#master/link/limit/decide-allowances.ts';

/** Returns allowances whose proxies answer every message at once, except for those that do not respond. */
function aNetwork(limit: number) {
  let book = openAllowances(new Map());
  const hung = new Set<string>();
  const has = (proxy: string) => book.holders.get(proxy)?.granted ?? 0;
  const take = (event: AllowanceEvent): void => {
    const { state, allow } = decideAllowances(book, event);
    book = state;
    for (const { proxy, seq, allowance } of allow) {
      const used = book.holders.get(proxy)?.players ?? 0;
      if (!hung.has(proxy))
        take({ kind: 'answered', proxy, seq, allowance: Math.max(allowance, used), used });
    }
  };
  return { take, hung, has, alive: (...proxies: string[]) => take({ kind: 'network', limit, proxies }) };
}

describe('the player slots of a proxy that exits while another proxy hangs', () => {
  it('are passed on to a new proxy', () => {
    const { take, hung, has, alive } = aNetwork(50);
    alive('gate-1', 'gate-2');
    take({ kind: 'linked', proxy: 'gate-1', allowance: 0 });
    take({ kind: 'linked', proxy: 'gate-2', allowance: 0 });
    take({ kind: 'tick' });
    expect([has('gate-1'), has('gate-2')]).toEqual([25, 25]);
    // gate-1 is still linked, because the master cannot see yet that gate-1 hangs.
    hung.add('gate-1');
    alive('gate-1');
    take({ kind: 'unlinked', proxy: 'gate-1' });
    alive('gate-1', 'gate-3');
    take({ kind: 'linked', proxy: 'gate-3', allowance: 0 });
    take({ kind: 'more', proxy: 'gate-3', id: 1, wanted: 1 });
    take({ kind: 'overdue', proxy: 'gate-3', id: 1 });
    expect(has('gate-3')).toBeGreaterThan(0);
  });
});
