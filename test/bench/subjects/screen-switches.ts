import { readFile } from 'node:fs/promises';
import { buildAll } from '../../../build/scripts/build.mjs';
import { electronRuntime } from '../../../build/scripts/electron/runtime.mjs';
import { openApp } from '#test/support/app/open-app.ts';
import type { Benchmark } from '../kit/benchmark.ts';
import { pause } from '../kit/clock.ts';
import { connectApp } from '../kit/app/connect-app.ts';
import { startCrowdedMaster } from '../kit/app/crowded-master.ts';
import { openScreen } from '../kit/app/screen.ts';
import { median, spread } from '../kit/statistics.ts';

const SERVICES = 5000;
const GOAL_MS = 115;
/** Pause after a screen is shown (ms), so that remaining work of the screen does not affect the next measurement. */
const SETTLE_MS = 500;

const FIRST_ROW = '[role="grid"] [role="row"][aria-rowindex="2"]';

/**
 * Screens, in the order in which they are opened repeatedly. `shown` is the selector of the element that a screen
 * draws last.
 */
const screens = [
  { metric: 'screen-switch-services', screen: 'Services', shown: FIRST_ROW },
  { metric: 'screen-switch-players', screen: 'Players', shown: FIRST_ROW },
  { metric: 'screen-switch-overview', screen: 'Overview', shown: '.chart canvas' },
] as const;

/**
 * Measures the time from a click in the navigation until the screen is shown, in the real app with 5,000 services
 * and 20,000 listed players. There is no baseline, because no other program shows these screens.
 */
export const screenSwitches: Benchmark = {
  metrics: screens.map(({ metric }) => metric),
  async run({ quick, scope, say }) {
    await buildAll();
    await openScreen(scope);
    const master = await startCrowdedMaster(SERVICES);
    scope.add(() => master.close());
    const app = await openApp({
      dataFolder: await scope.folder(),
      switches: ['--window=1280x800', '--on-quit=stop'],
    });
    const { electron, window } = app;
    scope.add(() => electron.close());
    await connectApp(app, master);
    await window.evaluate(await readFile(new URL('../page/switches.js', import.meta.url), 'utf8'));
    const warmUp = 3;
    const n = quick ? 2 : 20;
    say(`${n} times each screen, Electron ${electronRuntime().version}`);
    const took = new Map<string, number[]>(screens.map(({ metric }) => [metric, []]));
    for (let round = -warmUp; round < n; round += 1) {
      for (const { metric, screen, shown } of screens) {
        const ms = await window.evaluate<number>(
          `benchSwitches.to(${JSON.stringify(screen)}, ${JSON.stringify(shown)})`,
        );
        if (round >= 0) took.get(metric)?.push(ms);
        await pause(SETTLE_MS);
      }
    }
    return [...took].map(([metric, all]) => ({
      metric,
      value: median(all),
      unit: 'ms',
      baseline: null,
      n,
      note: `from the click in the navigation until the screen is drawn (${spread(all, 0)}), ${SERVICES} services over the real link`,
      goal: { of: 'value', atMost: GOAL_MS },
    }));
  },
};
