import type { MasterProcess } from '#test/support/master/master-process.ts';
import type { BenchContext, Benchmark } from '../kit/benchmark.ts';
import { layOutByHand, startByHand } from '../kit/network/by-hand.ts';
import { secondsOf } from '../kit/clock.ts';
import { interleave } from '../kit/interleave.ts';
import type { Measurement } from '../kit/measurement.ts';
import { endService, startPracticeMaster, TEMPLATE, untilRunning } from '../kit/network/practice-master.ts';
import { BARE_START, setStartWork, USUAL_START, type StartWork } from '../kit/network/start-work.ts';
import { median, spread } from '../kit/statistics.ts';

/**
 * Measures the time from the request of a service through the admin API until the service is RUNNING. The baseline is
 * the master's java command, run by hand. Measures both with a server that takes seconds to start, and with a server
 * that is ready immediately.
 */
export const serviceStart: Benchmark = {
  metrics: ['service-start', 'service-start-bare'],
  async run(context) {
    const master = await startPracticeMaster(context.scope);
    const n = context.quick ? 1 : 5;
    return [
      {
        ...(await measure(master, USUAL_START, { ...context, n })),
        metric: 'service-start',
        goal: { of: 'ratio', atMost: 1.05 },
      },
      { ...(await measure(master, BARE_START, { ...context, n })), metric: 'service-start-bare', goal: null },
    ];
  },
};

async function measure(
  master: MasterProcess,
  work: StartWork,
  { n, scope, say }: BenchContext & { readonly n: number },
): Promise<Omit<Measurement, 'metric' | 'goal'>> {
  await setStartWork(master, work);
  const server = await layOutByHand(scope, work);
  say(`${n} starts each way, ${work.name}`);
  const pairs = await interleave(n, {
    ours: () => startByMaster(master),
    baseline: () => startByHand(server),
  });
  const [value, baseline] = [median(pairs.ours), median(pairs.baseline)];
  return {
    value,
    unit: 's',
    baseline,
    n,
    note: `services.start to RUNNING seen, ${work.name} (${spread(pairs.ours)}), beside the same java command until it answers a ping (${spread(pairs.baseline)}); both looked at every 20 ms; the master adds ${(value - baseline).toFixed(2)} s`,
  };
}

async function startByMaster(master: MasterProcess): Promise<number> {
  const started = { id: '' };
  const seconds = await secondsOf(async () => {
    started.id = (await master.call('services.start', { template: TEMPLATE })).id;
    await untilRunning(master, started.id);
  });
  await endService(master, started.id);
  return seconds;
}
