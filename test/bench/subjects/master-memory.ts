import { MasterProcess } from '#test/support/master/master-process.ts';
import { SMALL } from '#test/support/master/network.ts';
import { waitFor } from '#test/support/wait-for.ts';
import type { Benchmark } from '../kit/benchmark.ts';
import { pause, secondsOf } from '../kit/clock.ts';
import { cpuSecondsOf, residentMbOf } from '../kit/process-cost.ts';
import { TEMPLATE } from '../kit/network/practice-master.ts';
import { median, spread } from '../kit/statistics.ts';

const TEMPLATES = 100;
const TIMEOUT_MS = 120_000;
const LOOK_MS = 1_000;

/**
 * Measures the memory of a real master with ten thousand services. The services are only requested, and wait for a
 * server.jar, because a single machine cannot run so many services. A running service takes a little more memory, for
 * its address and last ping.
 */
export const masterMemory: Benchmark = {
  metrics: ['master-memory-10k'],
  async run({ quick, scope, say }) {
    const services = quick ? 1_000 : 10_000;
    const each = services / TEMPLATES;
    const master = new MasterProcess(await scope.folder(), { from: 27_210, to: 27_219 });
    // Kill the master without stopping services, because no service runs.
    scope.add(() => master.kill());
    await master.start();
    say(`${TEMPLATES} templates that want ${each} services each`);
    for (let i = 0; i < TEMPLATES; i += 1) {
      const config = { ...SMALL, minimumRunningServers: each };
      await master.call('templates.create', { id: `${TEMPLATE}${i}`, config });
    }
    const waiting = async (): Promise<boolean> => {
      const { services: listed } = await master.call('services.list', {});
      return (
        listed.length === services &&
        listed.every(({ waiting: wait }) => wait?.reason === 'SERVER_JAR_MISSING')
      );
    };
    await waitFor(waiting, { timeoutMs: TIMEOUT_MS, what: `${services} services that wait` });
    const looks = quick ? 3 : 20;
    say(`looking ${looks} times`);
    const before = await cpuSecondsOf(master.pid);
    const resident: number[] = [];
    const seconds = await secondsOf(async () => {
      for (let i = 0; i < looks; i += 1) {
        await pause(LOOK_MS);
        resident.push(await residentMbOf(master.pid));
      }
    });
    const percent = (((await cpuSecondsOf(master.pid)) - before) / seconds) * 100;
    return [
      {
        metric: 'master-memory-10k',
        value: median(resident),
        unit: 'MB',
        baseline: null,
        n: looks,
        note: `RSS with ${services} services requested by ${TEMPLATES} templates, all waiting for a server.jar, one client (${spread(resident, 0)}); they cost ${percent.toFixed(1)} % of a core at rest`,
        goal: { of: 'value', atMost: 200 },
      },
    ];
  },
};
