import type { Stage } from '#test/lab/stage/stage.ts';
import { setConfig } from '#test/support/master/network.ts';
import { waitFor } from '#test/support/wait-for.ts';
import type { BenchContext } from '../kit/benchmark.ts';
import { secondsOf } from '../kit/clock.ts';
import type { Measurement } from '../kit/measurement.ts';
import { TEMPLATE } from '../kit/network/practice-master.ts';
import { median, spread } from '../kit/statistics.ts';
import { untilOnly } from './warm-node.ts';

const READY_TIMEOUT_MS = 120_000;

/** Measures the time from the order of a node until the node is READY. Keeps the last node, with one service. */
export async function measureReady(fixture: Stage, { quick, say }: BenchContext): Promise<Measurement> {
  const n = quick ? 1 : 3;
  say(`${n} nodes, one after the other`);
  const seconds: number[] = [];
  while (seconds.length < n) {
    if (seconds.length > 0) await giveBack(fixture);
    seconds.push(await orderOne(fixture));
  }
  return {
    metric: 'node-ready',
    value: median(seconds),
    unit: 's',
    baseline: null,
    n,
    note: `from the order at the provider until READY is seen (${spread(seconds)}): the machine boots, cloud-init runs our user_data with Java in the image already, first contact, a new host key, our tool; a lab node is a container that boots in 2 s, so a rented machine takes longer`,
    goal: null,
  };
}

async function orderOne(fixture: Stage): Promise<number> {
  const { api } = fixture.cloud;
  const before = api.everOrdered().length;
  await setConfig(fixture.master, TEMPLATE, { minimumRunningServers: 1 });
  await waitFor(() => api.everOrdered().length > before, { what: 'the order' });
  return secondsOf(() =>
    waitFor(async () => (await fixture.nodes()).some(({ state }) => state === 'READY'), {
      timeoutMs: READY_TIMEOUT_MS,
      what: 'the node to be READY',
    }),
  );
}

async function giveBack(fixture: Stage): Promise<void> {
  await setConfig(fixture.master, TEMPLATE, { minimumRunningServers: 0 });
  await untilOnly(fixture, new Set());
  for (const { id } of await fixture.nodes())
    await fixture.master.call('nodes.schedule', { id, to: 'release' });
  await waitFor(async () => (await fixture.nodes()).length === 0, {
    timeoutMs: READY_TIMEOUT_MS,
    what: 'the node to be given back',
  });
}
