import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildAll } from '../../../build/scripts/build.mjs';
import { run } from '../../../build/scripts/run.mjs';
import { hasOwnNetworks, ownNetwork } from '../../../build/scripts/tests/own-network.mjs';
import type { BenchContext, Benchmark } from '../kit/benchmark.ts';
import type { Outcome } from '../kit/measurement.ts';
import { measureStrangers, type Period } from '../strangers/measure.ts';
import { loopback } from '../strangers/network.ts';

/** Path of the program that measures in its own network, from the project's folder. */
const PROGRAM = join('test', 'bench', 'strangers', 'main.ts');

/** Maximum time of all attacks on a busy machine (ms). */
const TIMEOUT_MS = 15 * 60_000;

const METRICS = ['stranger-stall', 'stranger-memory', 'stranger-login'];

/** Measures how strangers without a key affect a master: its event loop, its memory and its owner's login. */
export const strangers: Benchmark = {
  metrics: METRICS,
  async run(context) {
    if (process.platform !== 'linux') {
      return METRICS.map((metric) => ({ metric, skipped: 'only Linux tells the memory of another process' }));
    }
    return outcomes(
      hasOwnNetworks() ? await inOwnNetwork(context) : await measureStrangers(context, loopback),
    );
  },
};

/** Also measures with IPv6 addresses, because one machine has a whole network of IPv6 addresses. */
async function inOwnNetwork({ quick, scope }: BenchContext): Promise<readonly Period[]> {
  await buildAll(['master']);
  const out = join(await scope.folder(), 'periods.json');
  const args = ['--import', 'tsx', PROGRAM, '--out', out, ...(quick ? ['--quick'] : [])];
  const { code } = await run(ownNetwork, [process.execPath, ...args], { show: true, timeoutMs: TIMEOUT_MS });
  if (code !== 0) throw new Error(`in its own network it ended with ${code ?? 'no exit code'}; see above`);
  // Not validated, because {@link PROGRAM} wrote the file.
  return JSON.parse(await readFile(out, 'utf8')) as readonly Period[];
}

function outcomes([quiet, ...attacks]: readonly Period[]): readonly Outcome[] {
  if (quiet === undefined) throw new Error('nothing was measured');
  const worst = (of: (period: Period) => number): number => Math.max(...attacks.map(of));
  const about = { n: attacks.length };
  const { waited } = quiet.delays;
  const growth = ({ peakMb }: Period): number => Math.max(0, peakMb - quiet.peakMb);
  const stall = ({ delays }: Period): number => delays.computed.p99Ms;
  const login = ({ loginMs }: Period): number => loginMs / 1_000;
  const groups = [...new Set(attacks.map(({ group }) => group))].join(' / ');
  return [
    {
      ...{ metric: 'stranger-stall', unit: 'ms', value: worst(stall), baseline: stall(quiet), ...about },
      note: `99th percentile of the time for which the master's own work blocks its event loop, in the worst flood, beside the same master without one; by flood, from ${groups}: ${byFlood(attacks, (one) => stall(one).toFixed(1))}; with the attackers on the same cores, elapsed time was up to ${worst(({ delays }) => delays.waited.p99Ms).toFixed(0)} (quiet ${waited.p99Ms.toFixed(1)})`,
      goal: { of: 'value', atMost: 50 },
    },
    {
      ...{ metric: 'stranger-memory', unit: 'MB', value: worst(growth), baseline: null, ...about },
      note: `highest RSS in a flood minus the highest in the quiet time (${quiet.peakMb} MB), one master for all floods: ${byFlood(attacks, (one) => growth(one).toFixed(0))}`,
      goal: { of: 'value', atMost: 64 },
    },
    {
      ...{ metric: 'stranger-login', unit: 's', value: worst(login), baseline: login(quiet), ...about },
      note: `slowest login of the owner during a flood: ${byFlood(attacks, (one) => login(one).toFixed(2))}; connections that it took: ${byFlood(attacks, ({ tries }) => String(tries))}; attempts that strangers made: ${byFlood(attacks, ({ attack }) => String(attack?.attempts ?? 0))}`,
      goal: { of: 'value', atMost: 2 },
    },
  ];
}

/** Lists one figure of each attack by flood. Example: `key exchanges (ssh) 14.3/31.9`. */
function byFlood(attacks: readonly Period[], figure: (period: Period) => string): string {
  const names = [...new Set(attacks.map(({ name }) => name))];
  const figures = (name: string): readonly string[] => attacks.filter((one) => one.name === name).map(figure);
  return names.map((name) => `${name} ${figures(name).join('/')}`).join(', ');
}
