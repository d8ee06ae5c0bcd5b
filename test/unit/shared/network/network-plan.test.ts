import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freeRamMb, planNetwork, ramAtStartMb } from '#shared/network/network-plan.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import { templateIdSchema } from '#shared/model/template.ts';
import { aNode } from '#test/support/app/models.ts';

const practice = {
  proxy: { software: 'practice-proxy', version: null, build: null },
  game: { software: 'practice-server', version: null, build: null },
} as const;
const real = {
  proxy: { software: 'velocity', version: null, build: null },
  game: { software: 'paper', version: '1.21.11', build: null },
} as const;
const parts = [
  { kind: 'proxy', name: 'Proxy', memoryMb: 512 },
  { kind: 'lobby', name: 'Lobby', memoryMb: 128 },
  { kind: 'game', name: 'Bed Wars', memoryMb: 2048 },
  { kind: 'game', name: 'Bed Wars', memoryMb: 2048 },
] as const;

describe('the templates of a new network', () => {
  it('have unused ids and the correct type, and each keeps one empty service', () => {
    const planned = planNetwork({ parts, players: 100, software: real }, ['lobby']);
    expect(
      planned.map(({ id, config, software }) => [
        ...[id, config.isProxy, config.isFallback, config.minimumRunningServers],
        ...[config.maximumOnlineServers, software.software],
      ]),
    ).toEqual([
      ['proxy', true, false, 1, 2, 'velocity'],
      ['lobby-2', false, true, 1, 3, 'paper'],
      ['bed-wars', false, false, 1, 6, 'paper'],
      ['bed-wars-2', false, false, 1, 6, 'paper'],
    ]);
    expect(ramAtStartMb(planned)).toBe(512 + 128 + 2 * 2048 + 4 * 375);
  });

  it('have valid values for any input, and enough slots for all players', () => {
    fc.assert(
      fc.property(
        fc.record({
          parts: fc.array(
            fc.record({
              kind: fc.constantFrom('proxy', 'lobby', 'game'),
              name: fc.stringMatching(/^[A-Za-z0-9 ]{0,20}[a-z]$/),
              memoryMb: fc.integer({ min: 64, max: 131_072 }),
            }),
            { minLength: 1, maxLength: 10 },
          ),
          players: fc.integer({ min: 1, max: 100_000 }),
          software: fc.constantFrom(practice, real),
        }),
        fc.array(fc.constantFrom('proxy', 'lobby', 'a')),
        (wish, taken) => {
          const planned = planNetwork(wish, taken);
          const ids = planned.map(({ id }) => id);
          expect(new Set([...ids, ...taken]).size).toBe(ids.length + new Set(taken).size);
          for (const { id, config } of planned) {
            expect(templateIdSchema.safeParse(id).success).toBe(true);
            expect(templateConfigSchema.parse(config)).toEqual(config);
            expect((config.maximumOnlineServers - 1) * config.maxPlayers).toBeGreaterThanOrEqual(
              wish.players,
            );
          }
        },
      ),
    );
  });
});

it('freeRamMb counts only the RAM of nodes that accept services', () => {
  const ram = { totalMb: 1000, allocatedMb: 400 };
  expect(
    freeRamMb([
      aNode('local', { ram }),
      aNode('held', { ram, held: true }),
      aNode('draining', { ram, state: 'DRAINING' }),
      aNode('full', { ram: { totalMb: 1000, allocatedMb: 1200 } }),
    ]),
  ).toBe(600);
});
