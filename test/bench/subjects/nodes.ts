import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildAll } from '../../../build/scripts/build.mjs';
import { runInLab } from '../../../build/scripts/lab/enter.mjs';
import { prepareLab } from '../../../build/scripts/lab/prepare.mjs';
import { ensureNodeRuntime, hostArch } from '../../../build/scripts/packaging/master/node-runtime.mjs';
import { run } from '../../../build/scripts/run.mjs';
import { worldServerJar } from '#test/support/players/world-server.ts';
import type { Benchmark } from '../kit/benchmark.ts';
import type { Outcome } from '../kit/measurement.ts';

/** Path of the program that measures inside the lab, from the project's folder. */
const PROGRAM = join('test', 'bench', 'lab', 'main.ts');

/** Maximum time for all runs of a part on a busy machine (ms). The part `network` takes two minutes. */
const TIMEOUT_MS = 10 * 60_000;

/**
 * Maximum time of the part `deploy` (ms). The part boots and installs seventeen servers, each in up to two minutes.
 */
const DEPLOY_TIMEOUT_MS = 50 * 60_000;

/** Maximum time of the part `saves` (ms), which writes and transfers a world of 2 GB several times. */
const SAVES_TIMEOUT_MS = 30 * 60_000;

/**
 * Measures booted nodes: the time until a node is ready, until the master reacts, and until a service has started
 * on the node.
 */
export const nodeNetwork = inLab({
  part: 'network',
  metrics: ['node-ready', 'reaction', 'node-service-start', 'node-service-start-bare'],
});

/**
 * Measures the copy of a template to a booted node: the whole template, a template without changes, and a template
 * with one changed file.
 */
export const nodeSync = inLab({
  part: 'sync',
  metrics: ['sync-cold', 'sync-unchanged', 'sync-one-file'],
  needs: { program: 'rsync', debian: 'rsync' },
});

/**
 * Measures saves and restores of a large world on a booted node, and how long a save prevents the server from
 * writing.
 */
export const nodeSaves = inLab({
  part: 'saves',
  metrics: ['save-unchanged', 'save-changed', 'save-pause-copied', 'restore', 'save-pause'],
  timeoutMs: SAVES_TIMEOUT_MS,
  needs: { program: 'rsync', debian: 'rsync' },
  // Build the jar before, because the lab cannot build it.
  prepare: worldServerJar,
});

/** Measures the pause of the control loop during an upgrade of an installed master. */
export const nodeUpdate = inLab({
  part: 'update',
  metrics: ['update'],
  needs: { program: 'dpkg-deb', debian: 'dpkg' },
});

/** Measures the installation of a master on a server from the app's dialog: the time and the number of clicks. */
export const nodeDeploy = inLab({
  part: 'deploy',
  metrics: ['deploy', 'deploy-clicks', 'deploy-java'],
  timeoutMs: DEPLOY_TIMEOUT_MS,
  prepare: async () => {
    await buildAll();
    await ensureNodeRuntime(hostArch() ?? 'amd64');
  },
});

/** Metrics that one run of {@link PROGRAM} measures. */
interface Part {
  readonly part: 'network' | 'sync' | 'saves' | 'update' | 'deploy';
  readonly metrics: readonly string[];
  /** Maximum time for all runs of the part (ms); default {@link TIMEOUT_MS}. */
  readonly timeoutMs?: number;
  /** Program that must be installed on this machine, and the name of its Debian package. */
  readonly needs?: { readonly program: string; readonly debian: string };
  /** Prepares files that the lab cannot make, because it has no network. */
  readonly prepare?: () => Promise<unknown>;
}

/**
 * Returns a benchmark that runs in a separate process inside the lab, because nodes have their own network
 * namespaces.
 */
function inLab({ part, metrics, timeoutMs = TIMEOUT_MS, needs, prepare }: Part): Benchmark {
  return {
    metrics,
    async run({ quick, scope }) {
      const why = await whyNot(needs);
      if (why !== null) return metrics.map((metric) => ({ metric, skipped: why }));
      await prepare?.();
      const out = join(await scope.folder(), 'outcomes.json');
      const args = ['--import', 'tsx', PROGRAM, '--part', part, '--out', out, ...(quick ? ['--quick'] : [])];
      const code = await runInLab(process.execPath, args, { timeoutMs });
      if (code !== 0) throw new Error(`in the lab it ended with ${code ?? 'no exit code'}; see above`);
      // Not validated, because {@link PROGRAM} wrote the file.
      return JSON.parse(await readFile(out, 'utf8')) as readonly Outcome[];
    },
  };
}

async function whyNot(needs: Part['needs']): Promise<string | null> {
  if (needs !== undefined && (await run(needs.program, ['--version'])).code !== 0) {
    return `${needs.program} is not installed (Debian package ${needs.debian})`;
  }
  const obstacle = await prepareLab();
  return obstacle === null ? null : `the lab cannot run on this machine: ${obstacle}`;
}
