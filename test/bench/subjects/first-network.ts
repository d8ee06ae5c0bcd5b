import { createFirstNetwork, type FirstNetwork } from '#test/support/app/first-network.ts';
import { openApp } from '#test/support/app/open-app.ts';
import { buildAll } from '../../../build/scripts/build.mjs';
import { electronRuntime } from '../../../build/scripts/electron/runtime.mjs';
import { openScreen } from '../kit/app/screen.ts';
import type { Benchmark } from '../kit/benchmark.ts';
import { median, spread } from '../kit/statistics.ts';

const GOAL_CLICKS = 5;
const GOAL_SECONDS = 30;

/**
 * Measures the time and the clicks that a first-time user needs until a network of practice servers runs and its join
 * address is copied. The network runs on the app's embedded master. There is no baseline, because no other program
 * creates such a network.
 */
export const firstNetwork: Benchmark = {
  metrics: ['first-network-clicks', 'first-network'],
  async run({ quick, scope, say }) {
    await buildAll();
    await openScreen(scope);
    const n = quick ? 1 : 5;
    say(`${n} times on a new data folder, Electron ${electronRuntime().version}`);
    const all: FirstNetwork[] = [];
    for (let run = 0; run < n; run += 1) {
      const { electron, window } = await openApp({
        dataFolder: await scope.folder(),
        switches: ['--window=1280x800', '--on-quit=stop'],
      });
      try {
        all.push(await createFirstNetwork(window));
      } finally {
        await electron.close();
      }
    }
    const seconds = all.map((one) => one.seconds);
    return [
      {
        metric: 'first-network-clicks',
        value: Math.max(...all.map(({ clicks }) => clicks)),
        unit: 'clicks',
        baseline: null,
        n,
        note: 'from the overview of a new master until the join address is copied',
        goal: { of: 'value', atMost: GOAL_CLICKS },
      },
      {
        metric: 'first-network',
        value: median(seconds),
        unit: 's',
        baseline: null,
        n,
        note: `the same, of which three services start offline (${spread(seconds)})`,
        goal: { of: 'value', atMost: GOAL_SECONDS },
      },
    ];
  },
};
