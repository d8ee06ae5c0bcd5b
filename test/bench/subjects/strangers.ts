import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildAll } from '../../../build/scripts/build.mjs';
import { run } from '../../../build/scripts/run.mjs';
import { hasOwnNetworks, ownNetwork } from '../../../build/scripts/tests/own-network.mjs';
import type { BenchContext, Benchmark } from '../kit/benchmark.ts';
import type { Measurement, Outcome } from '../kit/measurement.ts';
import { measureStrangers, type Period } from '../strangers/measure.ts';
import { loopback } from '../strangers/network.ts';

/** Path of the program that measures in a network of its own, from the project's folder. */
const PROGRAM = join('test', 'bench', 'strangers', 'main.ts');

/** Time limit for all attacks on a busy machine (ms). */
const TIMEOUT_MS = 15 * 60_000;

const METRICS = ['stranger-stall', 'stranger-memory', 'stranger-login'];

/** Measures what strangers without a key can do to a master: to its event loop, its memory and its owner's login. */
export const strangers: Benchmark = {
  metrics: METRICS,
  async run(context) {
    if (process.platform !== 'linux') {
      return METRICS.map((metric) => ({ metric, skipped: 'only Linux tells the memory of another process' }));
    }
    return outcomes(hasOwnNetworks() ? await inOwnNetwork(context) : await measureStrangers(context, loopback));
  },
};

/** Measures with addresses of IPv6, too: one machine has a whole network of them. */
async function inOwnNetwork({ quick, scope }: BenchContext): Promise<readonly Period[]> {
  await buildAll(['master']);
  const out = join(await scope.folder(), 'periods.json');
  const args = ['--import', 'tsx', PROGRAM, '--out', out, ...(quick ? ['--quick'] : [])];
  const { code } = await run(ownNetwork, [process.execPath, ...args], { show: true, timeoutMs: TIMEOUT_MS });
  if (code !== 0) throw new Error(`in its own network it ended with ${code ?? 'no exit code'}; see above`);
  // The file was written by {@link PROGRAM}, so its content needs no validation.
  return JSON.parse(await readFile(out, 'utf8')) as readonly Period[];
}

function outcomes([quiet, ...attacks]: readonly Period[]): readonly Outcome[] {
  if (quiet === undefined) throw new Error('nothing was measured');
  const row = (
    of: (period: Period) => number,
    { digits, ...rest }: Pick<Measurement, 'metric' | 'unit' | 'note'> & { goal: number; digits: number },
  ): Measurement => ({
    ...rest,
    value: Math.max(...attacks.map(of)),
    baseline: of(quiet),
    n: attacks.length,
    note: `${rest.note}: ${attacks.map((one) => `${one.name} ${of(one).toFixed(digits)}`).join(', ')}`,
    goal: { of: 'value', atMost: rest.goal },
  });
  const { waited } = quiet.delays;
  const elapsed = Math.max(...attacks.map(({ delays }) => delays.waited.p99Ms));
  const attempts = attacks.map(({ attack, name }) => `${attack?.attempts ?? 0} ${name}`).join(', ');
  const memory = (period: Period): number => Math.max(0, period.peakMb - quiet.peakMb);
  return [
    row(({ delays }) => delays.computed.p99Ms, {
      ...{ metric: 'stranger-stall', unit: 'ms', goal: 50, digits: 1 },
      note: `99th percentile of the time for which the master's own work keeps its event loop busy, in the worst flood, beside the same master without one; with the attackers on the same cores, elapsed time has ${elapsed.toFixed(1)} (quiet ${waited.p99Ms.toFixed(1)})`,
    }),
    {
      ...row(memory, {
        ...{ metric: 'stranger-memory', unit: 'MB', goal: 64, digits: 0 },
        note: `highest RSS in a flood minus the highest in the quiet time (${quiet.peakMb} MB), one master for all floods`,
      }),
      baseline: null,
    },
    row(({ loginMs }) => loginMs / 1_000, {
      ...{ metric: 'stranger-login', unit: 's', goal: 2, digits: 2 },
      note: `slowest login of the owner during a flood (${attempts})`,
    }),
  ];
}
