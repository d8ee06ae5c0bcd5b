import { join } from 'node:path';
import { buildAll } from '../../../build/scripts/build.mjs';
import { openScreen } from '../kit/app/screen.ts';
import { electronRuntime } from '../../../build/scripts/electron/runtime.mjs';
import type { Benchmark } from '../kit/benchmark.ts';
import { helloWorldApp, launchOnce, overworldApp, type Launch } from '../kit/app/electron-app.ts';
import { interleave } from '../kit/interleave.ts';
import { median, spread } from '../kit/statistics.ts';

/**
 * Measures the time until the app's window shows live data, and the memory of the app with its embedded master. The
 * baseline is an Electron app with a window that shows one word.
 */
export const app: Benchmark = {
  metrics: ['app-launch', 'app-memory'],
  async run({ quick, scope, say }) {
    await buildAll();
    await openScreen(scope);
    const data = await scope.folder();
    const n = quick ? 1 : 7;
    say(`${n} launches each way, Electron ${electronRuntime().version}`);
    const launches: Record<'ours' | 'baseline', Launch[]> = { ours: [], baseline: [] };
    const launch = async (way: 'ours' | 'baseline'): Promise<number> => {
      const folder = join(data, way);
      const launched = await launchOnce(way === 'ours' ? overworldApp(folder) : helloWorldApp(folder));
      launches[way].push(launched);
      return launched.seconds;
    };
    // The warm-up pair also creates the data folders.
    const seconds = await interleave(n, { ours: () => launch('ours'), baseline: () => launch('baseline') });
    const memory = {
      ours: launches.ours.slice(1).map(({ pssMb }) => pssMb),
      baseline: launches.baseline.slice(1).map(({ pssMb }) => pssMb),
    };
    return [
      {
        metric: 'app-launch',
        value: median(seconds.ours),
        unit: 's',
        baseline: median(seconds.baseline),
        n,
        note: `start by Playwright to data-live, embedded master on a warm data folder (${spread(seconds.ours)}), beside a painted hello-world window (${spread(seconds.baseline)})`,
        goal: { of: 'ratio', atMost: 1.5 },
      },
      {
        metric: 'app-memory',
        value: median(memory.ours),
        unit: 'MB',
        baseline: median(memory.baseline),
        n,
        note: `PSS of all processes, the master's too, once settled (${spread(memory.ours, 0)}), beside hello-world (${spread(memory.baseline, 0)})`,
        goal: { of: 'ratio', atMost: 1.5 },
      },
    ];
  },
};
