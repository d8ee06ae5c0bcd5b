import { buildAll } from '../../../build/scripts/build.mjs';
import { openScreen } from '../kit/app/screen.ts';
import { electronRuntime } from '../../../build/scripts/electron/runtime.mjs';
import { openApp } from '#test/support/app/open-app.ts';
import type { Benchmark } from '../kit/benchmark.ts';
import { connectApp } from '../kit/app/connect-app.ts';
import { startCrowdedMaster } from '../kit/app/crowded-master.ts';
import { coverWithStaticPage, prepareFrames, scrollAndMeasure, type Frames } from '../kit/app/frames.ts';
import { interleave } from '../kit/interleave.ts';
import { median, spread } from '../kit/statistics.ts';

const SERVICES = 5000;
/** Number of services that change ten times a second. Within five seconds, each service changes. */
const CHANGES = 100;

/**
 * Measures the time between frames while the services table of the real app is scrolled and 5,000 services change.
 * The baseline is a page that shows as many plain rows and runs no scripts of ours. This page is scrolled in the same
 * window at the same speed.
 */
export const tableFrames: Benchmark = {
  metrics: ['table-frame-p95'],
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
    await window.evaluate('location.hash = "#/services"');
    await window.getByText(`${SERVICES.toLocaleString('en')} services`).waitFor();
    await prepareFrames(window);
    const seconds = quick ? 3 : 10;
    const n = quick ? 1 : 5;
    say(
      `${n} times ${seconds} s each way, Electron ${electronRuntime().version}, ${CHANGES * 10} changes a second`,
    );
    const runs: Record<'ours' | 'baseline', Frames[]> = { ours: [], baseline: [] };
    const measure = async (way: 'ours' | 'baseline'): Promise<number> => {
      const uncover = way === 'baseline' ? await coverWithStaticPage(window) : null;
      const stop = way === 'ours' ? master.stir(CHANGES) : null;
      const frames = await scrollAndMeasure(window, seconds);
      stop?.();
      await uncover?.();
      runs[way].push(frames);
      return frames.p95Ms;
    };
    const p95 = await interleave(n, { ours: () => measure('ours'), baseline: () => measure('baseline') });
    const ours = runs.ours.slice(1);
    const late = ours.reduce((sum, { late: count }) => sum + count, 0);
    const frames = ours.reduce((sum, { count }) => sum + count, 0);
    const workOf = (all: readonly Frames[]): string =>
      median(all.map(({ workP95Ms }) => workP95Ms)).toFixed(1);
    return [
      {
        metric: 'table-frame-p95',
        value: median(p95.ours),
        unit: 'ms',
        baseline: median(p95.baseline),
        n,
        note: `95th percentile of the time between frames (${spread(p95.ours, 1)}), ${SERVICES} services over the real link, ${CHANGES * 10} changes a second, scrolled 40 px a frame; ${late} of ${frames} frames late; a frame kept the page busy for ${workOf(ours)} ms at the 95th percentile, ${workOf(runs.baseline.slice(1))} ms on the static page (${spread(p95.baseline, 1)})`,
        goal: { of: 'value', atMost: 16.7 },
      },
    ];
  },
};
