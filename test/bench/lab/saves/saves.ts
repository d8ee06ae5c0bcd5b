import { Lab } from '#test/lab/kit/lab.ts';
import type { LabNode } from '#test/lab/kit/node.ts';
import { bootKeyed } from '#test/lab/stage/node-stage.ts';
import type { BenchContext } from '../../kit/benchmark.ts';
import { secondsOf } from '../../kit/clock.ts';
import { interleave, type Pairs } from '../../kit/interleave.ts';
import type { Measurement, Outcome } from '../../kit/measurement.ts';
import { Scope } from '../../kit/scope.ts';
import { TMPFS } from '../../kit/sftp/our-sftp.ts';
import { median, spread } from '../../kit/statistics.ts';
import { openRsync, type Rsync } from '../rsync.ts';
import { giveReflinks, whyNoReflinks } from './reflink-disk.ts';
import { REGION_BYTES, WORLD, WorldNode } from './world-node.ts';

/** Number of region files of the world, and number of region files that change before a save. */
const SIZE = { regions: 500, changed: 20 };
const QUICK_SIZE = { regions: 25, changed: 2 };

/** Target folder of rsync. It is on the same file system to which the master restores. */
const TARGET = '/var/lib/rsync';

interface Ground {
  readonly world: WorldNode;
  readonly rsync: Rsync;
  /** Folder to which rsync copies the world. */
  readonly copy: string;
  readonly size: typeof SIZE;
}

/**
 * Measures saves and restores of a large world on a node. The baseline is `rsync -a` over OpenSSH. Also measures how
 * long a save prevents the server from writing.
 */
export async function measureSaves(context: BenchContext): Promise<readonly Outcome[]> {
  const { quick, say } = context;
  const size = quick ? QUICK_SIZE : SIZE;
  const n = quick ? 1 : 5;
  return [
    ...(await besideRsync(context, { size, n })),
    ...(await pauseWithReflinks(context, { size, n })),
  ].map((outcome) => {
    say(`${outcome.metric}: done`);
    return outcome;
  });
}

async function besideRsync(
  { say }: BenchContext,
  { size, n }: { readonly size: typeof SIZE; readonly n: number },
): Promise<readonly Outcome[]> {
  return inScope(async (scope) => {
    say(`a node boots, and gets a world of ${amount(size)}`);
    const { node, way } = await boot(scope, size);
    const world = await WorldNode.open(scope, node, { way, regions: size.regions });
    const rsync = await openRsync(scope, node, way);
    const ground = { world, rsync, copy: await scope.folder(TMPFS), size };
    await rsync.pull(WORLD, ground.copy);
    say(`${n} saves each way with nothing changed`);
    const unchanged = await measureUnchanged(ground, n);
    say(`${n} saves each way with ${size.changed} changed files`);
    const changed = await measureChanged(ground, n);
    say(`${n} restores each way`);
    return [unchanged, ...changed, await measureRestore(ground, n)];
  });
}

async function measureUnchanged({ world, rsync, copy, size }: Ground, n: number): Promise<Measurement> {
  const pairs = await interleave(n, {
    ours: () => secondsOf(() => world.save()),
    baseline: () => secondsOf(() => rsync.pull(WORLD, copy)),
  });
  return toMeasurement(
    'save-unchanged',
    pairs,
    `save of a running server's world of ${amount(size)}, none changed`,
  );
}

async function measureChanged(
  { world, rsync, copy, size }: Ground,
  n: number,
): Promise<readonly Measurement[]> {
  const after = (work: () => Promise<void>) => async (): Promise<number> => {
    await world.change(size.changed);
    return secondsOf(work);
  };
  const pairs = await interleave(n, {
    ours: after(() => world.save()),
    baseline: after(() => rsync.pull(WORLD, copy)),
  });
  const what = `save of a running server's world of ${amount(size)}, ${size.changed} of them changed`;
  const paused = toPause('save-pause-copied', world.pausesMs.slice(-n), {
    size,
    how: 'copies on a file system without reflinks',
  });
  return [toMeasurement('save-changed', pairs, what), { ...paused, goal: null }];
}

async function measureRestore({ world, rsync, copy, size }: Ground, n: number): Promise<Measurement> {
  await rsync.pull(WORLD, copy);
  await rsync.fresh(copy, TARGET);
  const pairs = await interleave(n, {
    ours: async () => {
      await world.change(size.changed);
      await world.save();
      await world.stop();
      const seconds = await secondsOf(() => world.prepare());
      await world.start();
      return seconds;
    },
    baseline: async () => {
      await world.change(size.changed);
      await rsync.pull(WORLD, copy);
      return secondsOf(() => rsync.fresh(copy, TARGET));
    },
  });
  const what = `restore of a world of ${amount(size)} to a node that has an older save, ${size.changed} of them changed since`;
  return toMeasurement('restore', pairs, `${what}; ours also lays out the rest of the service`);
}

async function pauseWithReflinks(
  { say }: BenchContext,
  { size, n }: { readonly size: typeof SIZE; readonly n: number },
): Promise<readonly Outcome[]> {
  const why = whyNoReflinks();
  if (why !== null) return [{ metric: 'save-pause', skipped: why }];
  return inScope(async (scope) => {
    say(`a node boots with XFS, and gets a world of ${amount(size)}`);
    const { node, way } = await boot(scope, size);
    await giveReflinks(scope, node, toMb(size) + 1_024);
    const world = await WorldNode.open(scope, node, { way, regions: size.regions });
    say(`${n} saves with ${size.changed} changed files`);
    for (let i = 0; i <= n; i += 1) {
      await world.change(size.changed);
      await world.save();
    }
    return [toPause('save-pause', world.pausesMs.slice(-n), { size, how: 'reflinks on XFS' })];
  });
}

async function boot(scope: Scope, size: typeof SIZE) {
  const lab = new Lab();
  scope.add(() => lab.close());
  // The disk has room for the service's folder, the node's cache, the target of rsync, and copies of changed files.
  const { node, key } = await bootKeyed(lab, { diskMb: 5 * toMb(size) + 2_048 });
  return { node, way: { port: 22, key } } satisfies { node: LabNode; way: object };
}

/** Runs a part of the benchmark, and then frees the memory of its disks. */
async function inScope<T>(work: (scope: Scope) => Promise<T>): Promise<T> {
  const scope = new Scope();
  try {
    return await work(scope);
  } finally {
    await scope.close();
  }
}

function toMb({ regions }: typeof SIZE): number {
  return Math.ceil((regions * REGION_BYTES) / 1_048_576);
}

function amount(size: typeof SIZE): string {
  return `${toMb(size)} MiB in ${size.regions} region files`;
}

function toPause(
  metric: string,
  pausesMs: readonly number[],
  { size, how }: { readonly size: typeof SIZE; readonly how: string },
): Measurement {
  const what = `from sending save-off to having sent save-on, with ${size.changed} changed files in a world of ${amount(size)}`;
  return {
    ...{ metric, value: median(pausesMs), unit: 'ms', baseline: null, n: pausesMs.length },
    note: `${what}; ${how} (${spread(pausesMs, 0)})`,
    goal: { of: 'value', atMost: 200 },
  };
}

function toMeasurement(metric: string, { ours, baseline }: Pairs, what: string): Measurement {
  return {
    ...{ metric, value: median(ours), unit: 's', baseline: median(baseline), n: ours.length },
    note: `${what}, over the master's open connection (${spread(ours, 3)}), beside rsync -a over OpenSSH with connecting (${spread(baseline, 3)})`,
    goal: { of: 'ratio', atMost: 1 },
  };
}
