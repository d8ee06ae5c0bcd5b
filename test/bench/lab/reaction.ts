import { randomInt } from 'node:crypto';
import { servicesOf, setConfig } from '#test/support/master/network.ts';
import { waitFor } from '#test/support/wait-for.ts';
import type { BenchContext } from '../kit/benchmark.ts';
import { pause } from '../kit/clock.ts';
import { interleave } from '../kit/interleave.ts';
import type { Measurement } from '../kit/measurement.ts';
import { TEMPLATE } from '../kit/network/practice-master.ts';
import { median, spread } from '../kit/statistics.ts';
import { untilOnly, type WarmNode } from './warm-node.ts';
import { mustRun } from './open-shell.ts';
import { monotonicMs, startOf } from './unit-start.ts';

/** Time between two rounds of the master's control loop (ms). */
const ROUND_MS = 1_000;

const RUNNING_TIMEOUT_MS = 60_000;

/** systemd unit of the benchmark on the node, for the baseline. */
const UNIT = 'overworld-bench.service';

/**
 * Measures the time from reaching a scaling threshold until the process of the required service has started on its
 * node.
 */
export async function measureReaction(warm: WarmNode, { quick, say }: BenchContext): Promise<Measurement> {
  const n = quick ? 1 : 9;
  say(`${n} reactions each way`);
  const pairs = await interleave(n, {
    ours: () => raiseMinimum(warm),
    baseline: () => runByHand(warm),
  });
  const baseline = median(pairs.baseline);
  return {
    metric: 'reaction',
    value: median(pairs.ours),
    unit: 'ms',
    baseline,
    n,
    note: `templates.update asks for one more service until systemd starts its process on a node that has the files (${spread(pairs.ours, 0)}): plan, journal, port, files laid out, unit; beside a bare systemd-run over an open connection until its process starts (${spread(pairs.baseline, 0)}); the goal is 1.2 times that and one round of ${ROUND_MS} ms`,
    goal: { of: 'value', atMost: Math.round(1.2 * baseline + ROUND_MS) },
  };
}

async function raiseMinimum({ fixture: { master }, fixture, shell }: WarmNode): Promise<number> {
  const before = new Set((await servicesOf(master)).map(({ id }) => id));
  const template = (await master.call('templates.list', {})).find(({ id }) => id === TEMPLATE);
  if (template === undefined) throw new Error(`there is no template ${TEMPLATE}`);
  const { configRevision: basedOn } = template;
  const config = { ...template.config, minimumRunningServers: before.size + 1 };
  // Wait for a random part of a round, because players join at random moments of a round.
  await pause(randomInt(ROUND_MS));
  const crossedAt = monotonicMs();
  await master.call('templates.update', { id: TEMPLATE, config, basedOn });
  const { id } = await waitFor(
    async () => (await servicesOf(master)).find((one) => !before.has(one.id) && one.state === 'RUNNING'),
    { timeoutMs: RUNNING_TIMEOUT_MS, what: 'one more service to be RUNNING' },
  );
  const startedAt = await startOf(shell, `overworld@${id}.service`);
  await setConfig(master, TEMPLATE, { minimumRunningServers: before.size });
  await untilOnly(fixture, before);
  return startedAt - crossedAt;
}

async function runByHand({ shell }: WarmNode): Promise<number> {
  const askedAt = monotonicMs();
  await mustRun(shell, `systemd-run --quiet --unit=${UNIT} sleep infinity`);
  const startedAt = await startOf(shell, UNIT);
  await mustRun(shell, `systemctl stop ${UNIT}`);
  return startedAt - askedAt;
}
