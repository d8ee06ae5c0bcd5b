import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInLab } from '../../../build/scripts/lab/enter.mjs';
import { prepareLab } from '../../../build/scripts/lab/prepare.mjs';
import { run } from '../../../build/scripts/run.mjs';
import type { Benchmark } from '../kit/benchmark.ts';
import type { Outcome } from '../kit/measurement.ts';

/** The program that measures in the lab, from the project's folder. */
const PROGRAM = join('test', 'bench', 'lab', 'main.ts');

/** All runs of one part on a busy machine; the network takes two minutes. */
const TIMEOUT_MS = 10 * 60_000;

/** Booted nodes: how soon one is there, how quickly the master reacts on it, how long a service takes to start on it. */
export const nodeNetwork = inLab({
  part: 'network',
  metrics: ['node-ready', 'reaction', 'node-service-start', 'node-service-start-bare'],
});

/** A booted node: how long a template takes to it, all of it, nothing new, one file. */
export const nodeSync = inLab({
  part: 'sync',
  metrics: ['sync-cold', 'sync-unchanged', 'sync-one-file'],
  needs: 'rsync',
});

/** What is measured in one run of {@link PROGRAM}. */
interface Part {
  readonly part: 'network' | 'sync';
  readonly metrics: readonly string[];
  /** A program of this machine, named as its Debian package. */
  readonly needs?: string;
}

/** Nodes live in namespaces of their own, so what is measured on them runs in there, in a process of its own. */
function inLab({ part, metrics, needs }: Part): Benchmark {
  return {
    metrics,
    async run({ quick, scope }) {
      const why = await whyNot(needs);
      if (why !== null) return metrics.map((metric) => ({ metric, skipped: why }));
      const out = join(await scope.folder(), 'outcomes.json');
      const args = ['--import', 'tsx', PROGRAM, '--part', part, '--out', out, ...(quick ? ['--quick'] : [])];
      const code = await runInLab(process.execPath, args, { timeoutMs: TIMEOUT_MS });
      if (code !== 0) throw new Error(`in the lab it ended with ${code ?? 'no exit code'}; see above`);
      // Written a moment ago by a program of this folder, which knows no other shape.
      return JSON.parse(await readFile(out, 'utf8')) as readonly Outcome[];
    },
  };
}

async function whyNot(needs: string | undefined): Promise<string | null> {
  if (needs !== undefined && (await run(needs, ['--version'])).code !== 0) {
    return `${needs} is not installed (Debian package ${needs})`;
  }
  const obstacle = await prepareLab();
  return obstacle === null ? null : `the lab cannot run on this machine: ${obstacle}`;
}
