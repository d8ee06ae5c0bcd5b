import type { MasterProcess } from '#test/support/master-process.ts';
import type { Benchmark } from '../kit/benchmark.ts';
import { layOutByHand, startByHand } from '../kit/by-hand.ts';
import { secondsOf } from '../kit/clock.ts';
import { interleave } from '../kit/interleave.ts';
import { endService, startPracticeMaster, TEMPLATE, untilRunning } from '../kit/practice-master.ts';
import { median, spread } from '../kit/statistics.ts';

/** Time from asking the admin API for a service until it is RUNNING, beside the same java command by hand. */
export const serviceStart: Benchmark = {
  metrics: ['service-start'],
  async run({ quick, scope, say }) {
    const master = await startPracticeMaster(scope);
    const server = await layOutByHand(scope);
    const n = quick ? 1 : 9;
    say(`${n} starts each way`);
    const pairs = await interleave(n, {
      ours: () => startByMaster(master),
      baseline: () => startByHand(server),
    });
    return [
      {
        metric: 'service-start',
        value: median(pairs.ours),
        unit: 's',
        baseline: median(pairs.baseline),
        n,
        note: `services.start to RUNNING seen, practice server (${spread(pairs.ours)}), beside the same java command until it answers a ping (${spread(pairs.baseline)}); both looked at every 20 ms`,
        goal: { of: 'ratio', atMost: 1.05 },
      },
    ];
  },
};

async function startByMaster(master: MasterProcess): Promise<number> {
  const started = { id: '' };
  const seconds = await secondsOf(async () => {
    started.id = (await master.call('services.start', { template: TEMPLATE })).id;
    await untilRunning(master, started.id);
  });
  await endService(master, started.id);
  return seconds;
}
