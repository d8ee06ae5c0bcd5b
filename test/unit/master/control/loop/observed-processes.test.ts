import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { byService, NodeObserver } from '#master/control/loop/observed-processes.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import { aRentedNode } from '#test/support/nodes/rented-node.ts';

type Observe = Runtime['observe'];

/** Returns an observer of nodes with these responses. No other method of a runtime is used. */
function observeAll(
  looks: Record<string, Observe>,
  silent: readonly string[] = [],
  problems = new Map<string, string | null>(),
): NodeObserver {
  const nodes = Object.keys(looks).map((id) =>
    aRentedNode({ id, silentSince: silent.includes(id) ? 1 : null }),
  );
  return new NodeObserver(
    {
      log: pino({ level: 'silent' }),
      registry: {
        nodes: () => nodes,
        setProblem: (node: string, problem: string | null) => problems.set(node, problem),
      } as never,
      runtimeOf: (id) => ({ observe: looks[id] }) as never,
    },
    20,
  );
}

const runs =
  (id: string): Observe =>
  () =>
    Promise.resolve([{ spec: { id }, state: 'alive' } as never]);

describe('NodeObserver (asks nodes for their processes)', () => {
  it('marks a node that does not answer as silent, and still observes all other nodes', async () => {
    const broken = observeAll({
      'node-1': () => Promise.reject(new Error('cut')),
      'node-2': runs('lobby-1'),
    });
    const observed = await broken.observe();
    expect([...observed.silent]).toEqual(['node-1']);
    expect([...observed.answered]).toEqual(['node-2']);
    expect(observed.seen.map(({ node }) => node)).toEqual(['node-2']);
    const quiet = observeAll({ 'node-1': runs('lobby-2'), 'node-2': runs('lobby-1') }, ['node-1']);
    expect([...(await quiet.observe()).silent]).toEqual(['node-1']);
  });

  it('does not wait for a slow node, and sends it one request at a time', async () => {
    let asked = 0;
    let answer: (value: never[]) => void = () => undefined;
    const slow = observeAll({
      'node-1': () => {
        asked += 1;
        return new Promise((resolve) => {
          answer = resolve;
        });
      },
      'node-2': runs('lobby-1'),
    });
    expect([...(await slow.observe()).silent]).toEqual(['node-1']);
    expect([...(await slow.observe()).silent]).toEqual(['node-1']);
    expect(asked).toBe(1);
    answer([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect([...(await slow.observe()).silent]).toEqual(['node-1']);
    expect(asked).toBe(2);
  });

  it('reports a problem with the answers of a node until its answers are correct again', async () => {
    const problems = new Map<string, string | null>();
    const why = 'unexpected answer: it names more than 500 services';
    const failure = new OverworldError('NODE_TOOL_FAILED', {
      node: 'node-1',
      what: 'inspect the machine',
      why,
    });
    const looks: Record<string, Observe> = { 'node-1': () => Promise.reject(failure) };
    const node = observeAll(looks, [], problems);
    await node.observe();
    expect([...problems]).toEqual([['node-1', failure.message]]);
    looks['node-1'] = runs('lobby-1');
    await node.observe();
    expect([...problems]).toEqual([['node-1', null]]);
  });

  it('reports both nodes if a service runs on two nodes', async () => {
    const twice = await observeAll({ 'node-1': runs('lobby-1'), 'node-2': runs('lobby-1') }).observe();
    expect(
      byService(twice)
        .get('lobby-1')
        ?.map(({ node }) => node),
    ).toEqual(['node-1', 'node-2']);
  });
});
