import type { Benchmark } from '../kit/benchmark.ts';
import { pause, secondsOf } from '../kit/clock.ts';
import { startPracticeMaster, TEMPLATE, untilRunning } from '../kit/network/practice-master.ts';
import { cpuSecondsOf } from '../kit/process-cost.ts';

const SERVICES = 3;

/** After the last start has been answered, the master tidies up for a moment. */
const SETTLE_MS = 3_000;

/**
 * The virtual machine collects the garbage of the starts some 10 s after them, once, for about a tenth of a second: in a
 * short window that is half of all, in no window it would be left out.
 */
const WINDOW_MS = 60_000;

/** Processor time of a master that only watches over running services. */
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
