/**
 * Measures speed and memory, and compares them with baselines of the same run: `npm run bench -- [--json FILE]
 * [--only NAME,NAME] [--quick] [--install-sshd]` (docs/measuring.md).
 */
import { writeFile } from 'node:fs/promises';
import { withSignals } from '../../build/scripts/interrupt.mjs';
import { isMeant, readArguments } from './kit/arguments.ts';
import type { Benchmark } from './kit/benchmark.ts';
import type { Outcome } from './kit/measurement.ts';
import { toJson, toTable } from './kit/report.ts';
import { Scope } from './kit/scope.ts';
import { installPrograms } from './kit/set-up.ts';
import { benchmarks } from './subjects/all.ts';

/**
 * Runs the benchmarks.
 *
 * @returns the exit code: 1 if a benchmark could not complete, 0 otherwise, even if a metric misses its goal
 */
async function main(): Promise<number> {
  const { json, only, quick, installSshd } = readArguments(
    process.argv.slice(2),
    benchmarks.flatMap(({ metrics }) => metrics),
  );
  const meant = benchmarks.flatMap(({ metrics }) => metrics).filter((metric) => isMeant(metric, only));
  await installPrograms(meant, { installSshd, say: (line) => console.error(line) });
  const outcomes: Outcome[] = [];
  let broken = 0;
  for (const benchmark of benchmarks) {
    if (!benchmark.metrics.some((metric) => isMeant(metric, only))) continue;
    try {
      outcomes.push(...(await runOne(benchmark, quick)));
    } catch (error) {
      broken += 1;
      const why = error instanceof Error ? error.message : String(error);
      outcomes.push(...benchmark.metrics.map((metric) => ({ metric, skipped: `it broke: ${why}` })));
    }
  }
  report(
    outcomes.filter(({ metric }) => isMeant(metric, only)),
    quick,
  );
  if (json !== null) await writeFile(json, `${JSON.stringify(toJson(outcomes), null, 2)}\n`);
  return broken === 0 ? 0 : 1;
}

/** Runs a benchmark. At the end, and after Ctrl+C, stops everything that the benchmark has started. */
async function runOne(benchmark: Benchmark, quick: boolean): Promise<readonly Outcome[]> {
  const scope = new Scope();
  const say = (line: string): void => console.error(`${benchmark.metrics[0] ?? ''}: ${line}`);
  const interrupted = (): void => {
    void scope.close().finally(() => process.exit(130));
  };
  return withSignals(interrupted, async () => {
    try {
      return await benchmark.run({ quick, scope, say });
    } finally {
      await scope.close();
    }
  });
}

function report(outcomes: readonly Outcome[], quick: boolean): void {
  console.log(toTable(outcomes));
  if (quick) console.log('\nQuick mode: few runs, small sizes. These figures show that it works, no more.');
}

process.exitCode = await main();
