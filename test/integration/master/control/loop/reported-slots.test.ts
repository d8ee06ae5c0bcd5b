import { describe, expect, it } from 'vitest';
import { takeSnapshot } from '#master/control/loop/take-snapshot.ts';
import { plan } from '#master/core/plan.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';
import { startedFrom } from '#master/state/services/started-from.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import { loopFixture } from '#test/support/master/loop-fixture.ts';
import { SMALL } from '#test/support/master/network.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/**
 * Creates a master with the template lobby: 10 slots, startNewServiceAtTemplateCapacity 50. `add` adds a service that
 * runs and reports these players.
 */
async function aLobby() {
  const { parts } = await loopFixture(temporaryFolder(), { from: 27_950, to: 27_959 });
  const config = { ...SMALL, maxPlayers: 10, startNewServiceAtTemplateCapacity: 50 };
  await parts.config.createTemplate('lobby', templateConfigSchema.parse(config));
  const placed = startedFrom(serviceSpec({ maxPlayers: 10 }));
  const add = (id: string, players: ServiceRecord['players']): ServiceRecord => {
    const record = parts.records.add({ id, template: 'lobby', requestedAt: 1, cause: 'test', manual: false });
    const state = players.online === 0 ? 'RUNNING' : 'IN_USE';
    return Object.assign(record, {
      node: 'local',
      state,
      placed,
      players,
      upAt: 1,
      unusedSince: parts.now(),
    });
  };
  return { parts, add };
}

describe('the slots that a service reports', () => {
  it.each([
    { says: 'is empty and reports no slots', online: 0, max: 0, counted: 10 },
    { says: 'is empty and reports one slot', online: 0, max: 1, counted: 10 },
    { says: 'is empty and reports 30 slots', online: 0, max: 30, counted: 30 },
    { says: 'has a player and reports two slots', online: 1, max: 2, counted: 2 },
    { says: 'has 10 players and reports 12 slots', online: 10, max: 12, counted: 12 },
  ])('count as $counted for the rules if a service started with 10 slots $says', async (service) => {
    const { online, max, counted } = service;
    const { parts, add } = await aLobby();
    add('lobby-1', { online, max });
    expect(takeSnapshot(parts).services).toMatchObject([{ maxPlayers: counted }]);
  });

  it.each([
    { says: 'no slots', max: 0 },
    { says: 'one slot', max: 1 },
  ])('cause one more service, not service after service, if empty services report $says', async ({ max }) => {
    const { parts, add } = await aLobby();
    add('lobby-1', { online: 6, max: 10 });
    for (let round = 0; round < 20; round += 1) {
      for (const action of plan(takeSnapshot(parts)).actions)
        if (action.kind === 'request') add(action.service, { online: 0, max });
    }
    expect(parts.records.all.map(({ id }) => id)).toEqual(['lobby-1', 'lobby-2']);
  });
});
