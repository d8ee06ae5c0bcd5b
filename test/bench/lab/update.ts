import { join } from 'node:path';
import { withMaster } from '#master/cli/client.ts';
import { openCloud } from '#test/lab/kit/cloud.ts';
import { Lab } from '#test/lab/kit/lab.ts';
import { hubAddress } from '#test/lab/kit/surroundings.ts';
import { InstalledMaster } from '#test/lab/upgrade/installed-master.ts';
import { MasterPackages } from '#test/lab/upgrade/master-packages.ts';
import { waitFor } from '#test/support/wait-for.ts';
import type { BenchContext } from '../kit/benchmark.ts';
import { secondsOf } from '../kit/clock.ts';
import { interleave } from '../kit/interleave.ts';
import type { Outcome } from '../kit/measurement.ts';
import { median, spread } from '../kit/statistics.ts';

/** Goal for the pause of the control loop (s). */
const GOAL_S = 3;

/** Measures the pause of the control loop during an upgrade of a master with a node and a service. */
export async function measureUpdate({ quick, scope, say }: BenchContext): Promise<readonly Outcome[]> {
  const lab = new Lab();
  scope.add(() => lab.close());
  const cloud = await openCloud(lab, hubAddress);
  scope.add(() => cloud.close());
  const packages = await MasterPackages.prepare(await scope.folder());
  const master = new InstalledMaster(await lab.boot(), cloud);
  const files = ['1.0.0', '1.1.0'].map((version) => master.put(packages.deb({ version })));
  await master.node.must(`dpkg -i ${files[0] ?? ''}`);
  await master.start();

  const n = quick ? 1 : 7;
  say(`${n} upgrades`);
  let upgrades = 0;
  const { ours, baseline } = await interleave(n, {
    ours: async () => {
      upgrades += 1;
      const run = await master.upgrade(files[upgrades % 2] ?? '', '--allow-downgrade');
      if (run.pauseMs === null) throw new Error(`the upgrade failed: ${run.error?.message ?? run.stderr}`);
      return run.pauseMs / 1_000;
    },
    baseline: () => restart(master),
  });
  return [
    {
      metric: 'update',
      value: median(ours),
      unit: 's',
      baseline: median(baseline),
      n,
      note: `overworld-master upgrade of a deb with a node and a running service (${spread(ours)}): from the stop of the old master until the new one has observed all services and decides again, with the copy of the data in between; beside a bare systemctl restart of the same master, until the same moment (${spread(baseline)})`,
      goal: { of: 'value', atMost: GOAL_S },
    },
  ];
}

/** Restarts the master. @returns the time until it has observed all services (s) */
async function restart({ node }: InstalledMaster): Promise<number> {
  const data = join(node.root, 'var/lib/overworld');
  return secondsOf(async () => {
    await node.must('systemctl restart overworld-master');
    await waitFor(
      () => withMaster(data, async (master) => (await master.call('master.readiness', {})).hasSynced),
      { what: 'the master to have observed its services' },
    );
  });
}
