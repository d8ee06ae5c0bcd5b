import { describe, expect, it } from 'vitest';
import { KnownServices } from '#master/link/registry/known-services.ts';
import { services } from '#test/support/link/link-fixture.ts';

describe('KnownServices (remembers which services exist)', () => {
  it('returns "gone" only for a service that existed before, and "unknown" for any other missing service', () => {
    const known = new KnownServices();
    expect(known.standingOf('proxy-1')).toBe('unknown');
    expect(known.set(services('proxy-2', 'lobby-1'))).toEqual([]);
    expect(known.standingOf('proxy-2')).toBe('alive');
    // proxy-1 may run on a node that the master has not observed yet.
    expect(known.standingOf('proxy-1')).toBe('unknown');
    expect(known.set(services('proxy-1', 'lobby-1'))).toEqual(['proxy-2']);
    expect([known.standingOf('proxy-2'), known.standingOf('proxy-1')]).toEqual(['gone', 'alive']);
    expect(known.proxies.map(({ id }) => id)).toEqual(['proxy-1']);
    known.set(services('proxy-2'));
    expect(known.standingOf('proxy-2')).toBe('alive');
  });
});
