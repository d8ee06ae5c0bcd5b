import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Stage } from '#test/lab/stage/stage.ts';
import { putJar, SMALL } from '#test/support/master/network.ts';
import type { BenchContext } from '../kit/benchmark.ts';
import type { Outcome } from '../kit/measurement.ts';
import { TEMPLATE } from '../kit/network/practice-master.ts';
import type { Scope } from '../kit/scope.ts';
import { measureReady } from './node-ready.ts';
import { openShell } from './open-shell.ts';
import { measureReaction } from './reaction.ts';
import { measureServiceStart } from './service-start.ts';
import type { WarmNode } from './warm-node.ts';

/**
 * Measures a network with a master, a provider and booting nodes: how fast nodes become ready, the master reacts,
 * and services start.
 */
export async function measureNetwork(context: BenchContext): Promise<readonly Outcome[]> {
  const fixture = await openStage(context.scope);
  const ready = await measureReady(fixture, context);
  const warm = await warmUp(fixture, context.scope);
  const reaction = await measureReaction(warm, context);
  const start = await measureServiceStart(warm, context);
  return [ready, reaction, ...start];
}

/** Creates a master with a template that needs no services, and a provider without servers. */
async function openStage(scope: Scope): Promise<Stage> {
  const fixture = await Stage.open(await scope.folder());
  scope.add(() => fixture.close());
  // Remove the library with which tests change the clock, because it slows down each reading of the time.
  fixture.master.environment = {};
  await fixture.start();
  const config = { ...SMALL, minimumRunningServers: 0, killUnusedTooManyServersAfter: 0 };
  await fixture.master.call('templates.create', { id: TEMPLATE, config });
  await putJar(fixture.master, TEMPLATE);
  return fixture;
}

/** Waits until one service runs. From then on, the files of its template are in the node's cache. */
async function warmUp(fixture: Stage, scope: Scope): Promise<WarmNode> {
  await fixture.waitForServices(1, 'RUNNING');
  const node = fixture.cloud.nodes[0];
  if (node === undefined) throw new Error('no node was rented');
  const { config } = await fixture.master.call('config.get', {});
  const key = await readFile(join(fixture.master.data, 'config', 'node_key'), 'utf8');
  return { fixture, node, shell: await openShell(scope, node, { port: config.provider.server_port, key }) };
}
