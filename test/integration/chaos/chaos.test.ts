import { execFileSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaksBelow } from '#test/support/chaos/canaries.ts';
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

/**
 * These tests cause faults in a whole network, one at a time, and make the same checks after each fault. Other tests
 * cover single parts in detail:
 *
 * - the plugin link: master/link/hostile.test.ts, master/ingress/services.test.ts
 * - answers of nodes: unit/master/runtime/systemd/tool-answers.test.ts, master/runtime/node-logs.test.ts,
 *   master/runtime/hostile-notes.test.ts; booted nodes with faults: lab/runtime/node-faults.test.ts,
 *   lab/unnoticed.test.ts
 * - removed keys: master/admin/ssh-server.test.ts
 * - rights of roles: master/admin/rights.test.ts
 * - a full disk: master/boot/full-disk.test.ts, master/files/sftp/disk-reserve.test.ts
 * - strangers: master/admin/strangers.test.ts, master/admin/strange-bytes.test.ts
 * - a man in the middle: master/nodes/connection.test.ts, master/plugin/core-link.test.ts, main/link.test.ts (the app)
 * - the provider: master/boot/provider-faults.test.ts
 * - kills: master/boot/killed-master.test.ts, lab/killed-master.test.ts
 * - players while the master is down: players/outages.test.ts
 *
 * CONTRIBUTING.md describes how to run these tests for longer.
 */

/** Duration of each fault in the environment variable (s). Undefined if the variable is not set. */
const given = process.env['OVERWORLD_CHAOS_SECONDS'];

/** Duration of each fault (s). */
const SECONDS = Number(given ?? 600);

/**
 * Whether these tests run: in the nightly run, or if a duration is set. They take too long for each change of the
 * repository.
 */
const isWanted = nightly || given !== undefined;

/** Maximum time for a fault to begin and to heal, in addition to its duration (ms). */
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

describe.skipIf(!isWanted || !canMount || !canRedirect())(`a network with players (seed ${SEED})`, () => {
  const ends: (() => unknown)[] = [];
  beforeAll(async () => {
    network = await ChaosNetwork.open(ends);
  }, HEALS_WITHIN_MS);
  afterAll(() => closeAll(ends), HEALS_WITHIN_MS);

  it('the search for secrets finds each planted secret except the console password, which no file contains', async () => {
    const canaries = await network.canaries();
    const found = await leaksBelow(
      network.data,
      canaries.map((canary) => ({ ...canary, allowed: /^$/ })),
    );
    const names = new Set(found.map((leak) => leak.split(': ')[1]));
    const missing = canaries.map(({ name }) => name).filter((name) => !names.has(name));
    expect(missing).toEqual(['password on the console']);
  });

  describe.each(FAULTS)('$name:', ({ name, run, allowed, skipped }) => {
    it.skipIf((skipped ?? null) !== null)(
      skipped ??
        'no player is disconnected, nothing runs twice, and secrets are only in files that may contain them',
      async () => {
        const before = await lookBefore(network);
        let endsAt: number | null = null;
        const isOver = (): boolean => performance.now() > (endsAt ??= performance.now() + SECONDS * 1_000);
        const happened = await run(network, { chance: new Chance(name), isOver });
        const healsFrom = performance.now();
        await network.waitUntilReady({ cloud: false });
        const healed = ((performance.now() - healsFrom) / 1_000).toFixed(1);
        const newcomer = await waitFor(() => network.join('Newcomer', 'gate-1'), {
          what: 'a player to join',
        });
        await newcomer.leave();
        const { peakMb, growthMb } = await expectUnharmed(network, before, allowed);
        const memory = `memory at most ${peakMb} MB, ${growthMb} MB more than before`;
        process.stdout.write(`${name}: ${happened}; healed after ${healed} s; ${memory}\n`);
      },
      SECONDS * 1_000 + HEALS_WITHIN_MS,
    );
  });
});

/**
 * Returns whether this process has its own network namespace, as integration tests have, and may change its firewall.
 */
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
