import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import { loopFixture } from '#test/support/master/loop-fixture.ts';
import { jvmsOf, MasterProcess } from '#test/support/master/master-process.ts';
import { putJar, serviceIn, SMALL } from '#test/support/master/network.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const PORTS = { from: 27_950, to: 27_999 };

/**
 * Returns the data folder of a network with one running service. The master was killed, and the state folder was
 * deleted.
 */
async function aNetworkWithoutState(): Promise<string> {
  const master = new MasterProcess(temporaryFolder(), PORTS);
  onTestFinished(() => master.shutDown());
  await master.start();
  await master.call('templates.create', { id: 'lobby', config: { ...SMALL, minimumRunningServers: 1 } });
  await putJar(master, 'lobby');
  await serviceIn(master, 'RUNNING');
  await master.kill();
  await rm(join(master.data, 'state'), { recursive: true });
  return master.data;
}

type Observe = (look: number, observe: Runtime['observe']) => ReturnType<Runtime['observe']>;

/** Replaces the method `observe` of all runtimes. */
function observedBy(observe: Observe, runtimeOf: NodeAccess['runtimeOf']): NodeAccess['runtimeOf'] {
  let looks = 0;
  return (node) =>
    new Proxy(runtimeOf(node), {
      get: (runtime, key) => {
        const real = (Reflect.get(runtime, key, runtime) as Runtime['observe']).bind(runtime);
        return key === 'observe' ? () => observe((looks += 1), real) : real;
      },
    });
}

describe('a master that has lost its state folder', () => {
  it.each<[string, Observe]>([
    [
      'takes longer than the control loop waits in a round',
      async (look, observe) => {
        const seen = await observe();
        if (look === 1) await delay(2_500);
        return seen;
      },
    ],
    ['fails twice', (look, observe) => (look <= 2 ? Promise.reject(new Error('EMFILE')) : observe())],
  ])('adopts running services even if the first observation of its own machine %s', async (_, observe) => {
    const data = await aNetworkWithoutState();
    const before = await jvmsOf(data);
    const { parts, start } = await loopFixture(data, PORTS);
    const { records, events } = parts;
    await start({ runtimeOf: observedBy(observe, parts.runtimeOf) });
    await waitFor(() => Promise.resolve(records.get('lobby-1')?.state === 'RUNNING'));
    expect(await jvmsOf(data)).toEqual(before);
    expect(records.all.map(({ id }) => id)).toEqual(['lobby-1']);
    const kinds = events.query({ limit: 50 }).map(({ kind }) => kind);
    expect(kinds).toContain('service.adopted');
    expect(kinds).not.toContain('service.stopping');
    expect(kinds).not.toContain('service.requested');
  });
});

describe('a master that has not received the list of nodes from the provider yet', () => {
  it('keeps the overrides of nodes, such as the protection from release', async () => {
    const { parts, start } = await loopFixture(temporaryFolder(), PORTS);
    await parts.overrides.changeNode('node-1', () => ({ locked: true }));
    parts.registry.listed = () => false;
    await start();
    expect(parts.overrides.ofNode('node-1').locked).toBe(true);
  });
});
