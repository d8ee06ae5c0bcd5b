import type { Benchmark } from '../kit/benchmark.ts';
import { pause, secondsOf } from '../kit/clock.ts';
import { startPracticeMaster, TEMPLATE, untilRunning } from '../kit/network/practice-master.ts';
import { cpuSecondsOf } from '../kit/process-cost.ts';

const SERVICES = 3;

/**
 * Time between the last start of a service and the measurement (ms). After a start, the master still has some work to
 * do.
 */
const SETTLE_MS = 3_000;

/**
 * Length of the measurement (ms). About 10 s after the services have started, the JavaScript engine collects the
 * garbage of these starts, which takes about a tenth of a second. In a short measurement, this would be half of all
 * CPU time. But the measurement must not leave it out.
 */
const WINDOW_MS = 60_000;

/** Measures the CPU time of a master that only observes running services. */
export const masterIdle: Benchmark = {
  metrics: ['master-idle-cpu'],
  async run({ quick, scope, say }) {
    const master = await startPracticeMaster(scope);
    for (let i = 0; i < SERVICES; i += 1) {
      const { id } = await master.call('services.start', { template: TEMPLATE });
      await untilRunning(master, id);
    }
    const { pid } = master;
    await pause(SETTLE_MS);
    const windowMs = quick ? 3_000 : WINDOW_MS;
    say(`watching for ${windowMs / 1000} s`);
    const before = await cpuSecondsOf(pid);
    const seconds = await secondsOf(() => pause(windowMs));
    const used = (await cpuSecondsOf(pid)) - before;
    return [
      {
        metric: 'master-idle-cpu',
        value: (used / seconds) * 100,
        unit: '%',
        baseline: null,
        n: 1,
        note: `of one core over ${windowMs / 1000} s, with what it starts in passing; ${SERVICES} practice services RUNNING, nobody connected`,
        goal: { of: 'value', atMost: 1 },
      },
    ];
  },
};
