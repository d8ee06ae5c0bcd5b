import { NodeTool } from '#master/runtime/systemd/node-tool.ts';
import { prepareNode } from '#master/runtime/systemd/prepare-node.ts';
import { TemplateSync } from '#master/runtime/systemd/template-sync.ts';
import type { NodeShell } from '#master/nodes/shell.ts';
import { Lab } from '#test/lab/kit/lab.ts';
import { bootKeyed } from '#test/lab/stage/node-stage.ts';
import type { BenchContext } from '../kit/benchmark.ts';
import { secondsOf } from '../kit/clock.ts';
import { interleave, type Pairs } from '../kit/interleave.ts';
import type { Measurement, Outcome } from '../kit/measurement.ts';
import { TMPFS } from '../kit/sftp/our-sftp.ts';
import { median, spread } from '../kit/statistics.ts';
import { mustRun, openShell } from './open-shell.ts';
import { openRsync, type Rsync } from './rsync.ts';
import { TemplateTree } from './template-tree.ts';

const SIZE = { bytes: 400_000_000, files: 2_000 };
const QUICK_SIZE = { bytes: 40_000_000, files: 200 };

const CACHE = '/var/lib/overworld/cache';
/** Target folder of rsync. It is on the same file system to which the master copies. */
const TARGET = '/var/lib/rsync';

/** Node, template, and the two programs that copy the template to the node. */
interface Ground {
  readonly tree: TemplateTree;
  readonly shell: NodeShell;
  readonly sync: TemplateSync;
  readonly rsync: Rsync;
}

/**
 * Measures the copy of a template to a node over the master's open connection. The baseline is `rsync -a` over
 * OpenSSH.
 */
export async function measureSync(context: BenchContext): Promise<readonly Outcome[]> {
  const { quick, say } = context;
  const ground = await prepare(context);
  const [few, many] = quick ? [1, 1] : [5, 9];
  const { tree } = ground;
  say(`${few} times all of ${tree.files} files with ${Math.round(tree.bytes / 1e6)} MB each way`);
  const cold = await measureCold(ground, few);
  say(`${many} times nothing new each way`);
  const unchanged = await measureUnchanged(ground, many);
  say(`${many} times one file each way`);
  const oneFile = await measureOneFile(ground, many);
  return [cold, unchanged, oneFile];
}

async function prepare({ scope, quick, say }: BenchContext): Promise<Ground> {
  say('a node boots');
  const lab = new Lab();
  scope.add(() => lab.close());
  const { node, key } = await bootKeyed(lab);
  const way = { port: 22, key };
  const shell = await openShell(scope, node, way);
  await prepareNode(shell, { node: node.name, masterPort: 0 });
  const tree = await TemplateTree.write(await scope.folder(TMPFS), quick ? QUICK_SIZE : SIZE);
  const rsync = await openRsync(scope, node, way);
  const tool = new NodeTool(node.name, shell, { isCalledOften: true });
  scope.add(() => {
    tool.close();
  });
  return { tree, shell, rsync, sync: new TemplateSync(tool) };
}

async function measureCold(ground: Ground, n: number): Promise<Measurement> {
  const { tree, shell } = ground;
  const pairs = await interleave(n, {
    ours: async () => {
      await mustRun(shell, `rm -rf ${CACHE}`);
      const seconds = await bring(ground);
      await mustHave(ground, `${CACHE}/*/files`);
      return seconds;
    },
    baseline: async () => {
      await mustRun(shell, `rm -rf ${TARGET}`);
      const seconds = await secondsOf(() => ground.rsync.fresh(tree.folder, TARGET));
      await mustHave(ground, TARGET);
      return seconds;
    },
  });
  const what = `${amount(tree)}, none of which the node has`;
  return toMeasurement('sync-cold', pairs, [what, 'ours compares every file with its sha256 on the node']);
}

async function measureUnchanged(ground: Ground, n: number): Promise<Measurement> {
  const open: number[] = [];
  const pairs = await interleave(n, {
    ours: () => bring(ground),
    baseline: async () => {
      open.push(await secondsOf(() => ground.rsync.open(ground.tree.folder, TARGET)));
      return secondsOf(() => ground.rsync.fresh(ground.tree.folder, TARGET));
    },
  });
  const what = `${amount(ground.tree)}, all of which the node has`;
  const why = 'ours asks by hash; for a revision that is whole on the node the master does not even ask';
  return toMeasurement('sync-unchanged', pairs, [what, why, besideOpen(pairs, open)]);
}

async function measureOneFile(ground: Ground, n: number): Promise<Measurement> {
  const { tree, rsync } = ground;
  const open: number[] = [];
  let bytes = 0;
  const pairs = await interleave(n, {
    ours: async () => {
      await tree.changeOne();
      return bring(ground);
    },
    baseline: async () => {
      await tree.changeOne();
      open.push(await secondsOf(() => rsync.open(tree.folder, TARGET)));
      bytes = await tree.changeOne();
      return secondsOf(() => rsync.fresh(tree.folder, TARGET));
    },
  });
  const what = `${amount(tree)}, one of which, ${Math.round(bytes / 1e3)} kB, has changed`;
  return toMeasurement('sync-one-file', pairs, [what, besideOpen(pairs, open)]);
}

async function bring({ tree, sync }: Ground): Promise<number> {
  const layout = await tree.layout();
  return secondsOf(() => sync.bring(layout, 'bench'));
}

/** Verifies that all files were copied, because an incomplete copy would be unfairly fast. */
async function mustHave({ tree, shell }: Ground, folder: string): Promise<void> {
  const count = await mustRun(shell, `find ${folder} -type f | wc -l`);
  if (count !== String(tree.files)) throw new Error(`${count} of ${tree.files} files are in ${folder}`);
}

function amount({ files, bytes }: TemplateTree): string {
  return `${Math.round(bytes / 1e6)} MB in ${files} files`;
}

/**
 * Returns a sentence that compares the master with rsync over an open connection. The sentence shows how much of the
 * difference is due to the time to connect.
 */
function besideOpen({ ours }: Pairs, open: readonly number[]): string {
  const ratio = median(ours) / median(open);
  return `over a connection that is open already rsync takes ${median(open).toFixed(3)} s (ratio ${ratio.toFixed(2)})`;
}

function toMeasurement(metric: string, { ours, baseline }: Pairs, notes: readonly string[]): Measurement {
  const [what, ...more] = notes;
  const ranges = `over the master's open connection (${spread(ours, 3)}), beside rsync -a over OpenSSH with connecting to the same file system of the node (${spread(baseline, 3)})`;
  return {
    metric,
    value: median(ours),
    unit: 's',
    baseline: median(baseline),
    n: ours.length,
    note: [`${what ?? ''}, ${ranges}`, ...more].join('; '),
    goal: { of: 'ratio', atMost: 1 },
  };
}
