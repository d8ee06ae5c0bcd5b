import { describe, expect, it } from 'vitest';
import { pluginMessageSchema } from '#shared/link/messages.ts';

const take = (message: unknown): unknown => pluginMessageSchema.safeParse(message).data ?? null;

const joined = (since: number): unknown => ({
  type: 'joined',
  beyond: false,
  player: { uuid: '00000000-0000-4000-8000-000000000001', name: 'Ana', server: null, since },
});

describe('a message of a plugin', () => {
  it('is rejected if it contains a time outside the range of Date', () => {
    expect(take(joined(Date.now()))).not.toBeNull();
    expect(take(joined(Number.MAX_SAFE_INTEGER))).toBeNull();
  });

  it('can contain player names with unknown letters, but not with invisible characters', () => {
    const named = (name: string): unknown =>
      take({ type: 'limit-reached', uuid: '00000000-0000-4000-8000-000000000001', name, admitted: false });
    for (const name of ['Ana', '.Ana_2', 'Åsa', 'new\u0378letter']) expect(named(name)).not.toBeNull();
    for (const name of [
      '',
      'a b',
      'a\n',
      'a\u001b',
      'a\u202e',
      'a\u200b',
      'a\ud800',
      'a\ue000',
      'x'.repeat(33),
    ])
      expect(named(name)).toBeNull();
  });

  it('is rejected if a number of players exceeds the maximum that plugins can handle', () => {
    expect(take({ type: 'count', online: 3, max: 2_147_483_647 })).not.toBeNull();
    expect(take({ type: 'count', online: 2_147_483_648, max: 5 })).toBeNull();
    expect(take({ type: 'count', online: 0, max: -1 })).toBeNull();
    expect(take({ type: 'allowance', seq: 1, allowance: Number.MAX_SAFE_INTEGER, used: 0 })).toBeNull();
  });

  it('is stored with visible replacements for invisible characters', () => {
    expect(take({ type: 'in-use', inUse: true, why: 'round\u001b[2J\n\u202etxt' })).toEqual({
      type: 'in-use',
      inUse: true,
      why: 'round⟨001B⟩[2J⟨000A⟩⟨202E⟩txt',
    });
  });
});
