import { execFileSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Chance, SEED } from '#test/support/chaos/chance.ts';
import { ChaosNetwork, closeAll } from '#test/support/chaos/chaos-network.ts';
import { hostileProxy, strangers } from '#test/support/chaos/hostile-people.ts';
import {
  clockJumps,
  faultyProvider,
  fullDisk,
  hostileNode,
  killedMaster,
  revokedKey,
  stoppedMaster,
} from '#test/support/chaos/machine-faults.ts';
import {
  betweenAdminAndMaster,
  betweenMasterAndNodes,
  betweenPluginsAndMaster,
} from '#test/support/chaos/man-in-the-middle.ts';
import { expectUnharmed, lookBefore } from '#test/support/chaos/verdicts.ts';
import { canMount } from '#test/support/files/small-disk.ts';
import { nightly } from '#test/lab/kit/nightly.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Duration of each fault (s): a few for each change of the repository, 10 minutes at night. */
const SECONDS = Number(process.env['OVERWORLD_CHAOS_SECONDS'] ?? (nightly ? 600 : 3));

/** Time for a fault to begin and to heal, in addition to its duration (ms). */
const HEALS_WITHIN_MS = 240_000;

const FAULTS = [
  hostileProxy,
  hostileNode,
  revokedKey,
  fullDisk,
  strangers,
  betweenMasterAndNodes,
  betweenPluginsAndMaster,
  betweenAdminAndMaster,
  faultyProvider,
  clockJumps,
  killedMaster,
  stoppedMaster,
];

let network: ChaosNetwork;

describe.skipIf(!canMount || !canRedirect())(`a network with players (seed ${SEED})`, () => {
  const ends: (() => unknown)[] = [];
  beforeAll(async () => {
    network = await ChaosNetwork.open(ends);
  }, HEALS_WITHIN_MS);
  afterAll(() => closeAll(ends), HEALS_WITHIN_MS);

  describe.each(FAULTS)('$name:', ({ name, run, allowed, skipped }) => {
    it.skipIf((skipped ?? null) !== null)(
      skipped ?? 'nobody is disconnected, nothing runs twice, and no secret is where it does not belong',
      async () => {
        const before = await lookBefore(network);
        const endsAt = performance.now() + SECONDS * 1_000;
        const said = await run(network, { chance: new Chance(name), isOver: () => performance.now() > endsAt });
        const healsFrom = performance.now();
        await network.waitUntilReady();
        const healed = ((performance.now() - healsFrom) / 1_000).toFixed(1);
        const newcomer = await waitFor(() => network.join('Newcomer', 'gate-1'), { what: 'a player to join' });
        await newcomer.leave();
        await expectUnharmed(network, before, allowed);
        process.stdout.write(`${name}: ${said}; healed after ${healed} s\n`);
        expect(network.master.alive).toBe(true);
      },
      SECONDS * 1_000 + HEALS_WITHIN_MS,
    );
  });
});

/** Whether this process has a network namespace of its own, as integration tests have, and may change its firewall. */
function canRedirect(): boolean {
  const outer = process.env['OVERWORLD_OUTER_NETWORK'];
  if (outer === undefined || readlinkSync(outer) === readlinkSync('/proc/self/ns/net')) return false;
  try {
    execFileSync('nft', ['list', 'tables'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
