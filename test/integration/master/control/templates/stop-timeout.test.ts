import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import { loopFixture } from '#test/support/master/loop-fixture.ts';
import { SMALL } from '#test/support/master/network.ts';
import { practiceServerJar } from '#test/support/players/practice-server.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

interface Watched {
  /** Called with the grace period of each stop (ms). */
  readonly stopped: (graceMs: number) => void;
  /** The answer to each observation waits for this promise. */
  readonly observed: () => Promise<unknown>;
}

function watched(
  runtimeOf: NodeAccess['runtimeOf'],
  { stopped, observed }: Watched,
): NodeAccess['runtimeOf'] {
  return (node) => {
    const runtime = runtimeOf(node);
    const calls: Pick<Runtime, 'stop' | 'observe'> = {
      stop: (id, options) => {
        stopped(options.graceMs);
        return runtime.stop(id, options);
      },
      observe: async () => {
        const seen = await runtime.observe();
        await observed();
        return seen;
      },
    };
    return new Proxy(runtime, {
      get: (_, key) => {
        if (key === 'stop' || key === 'observe') return calls[key];
        const value: unknown = Reflect.get(runtime, key, runtime);
        return typeof value === 'function' ? (value.bind(runtime) as unknown) : value;
      },
    });
  };
}

/** Starts a master with a running service of a template whose servers have 90 s to stop. */
async function aRunningLobby() {
  const data = temporaryFolder();
  const { parts, start } = await loopFixture(data, { from: 26_550, to: 26_574 });
  const config = { ...SMALL, minimumRunningServers: 1, stopTimeout: 90 };
  await parts.config.createTemplate('lobby', templateConfigSchema.parse(config));
  await parts.templates.create('lobby');
  await copyFile(await practiceServerJar(), join(data, 'templates', 'lobby', 'server.jar'));
  const graces: number[] = [];
  let observed = () => Promise.resolve();
  const runtimeOf = watched(parts.runtimeOf, {
    stopped: (graceMs) => graces.push(graceMs),
    observed: () => observed(),
  });
  const loop = await start({ runtimeOf });
  onTestFinished(() => loop.empty('the test ends'));
  await waitFor(() => Promise.resolve(parts.records.get('lobby-1')?.state === 'RUNNING'));
  const gone = () => waitFor(() => Promise.resolve(parts.records.get('lobby-1') === undefined));
  /** Deletes the template with its services. The node answers no observation until the template is deleted. */
  const deleteAtOnce = async (): Promise<void> => {
    const deleting = loop.deletions.stopAndRemove('lobby', 'ana');
    observed = () => deleting;
    await deleting;
  };
  return { data, deleteAtOnce, graces, gone };
}

it('a service has the stop timeout of its template if the template is deleted at once with its services', async () => {
  const { deleteAtOnce, graces, gone } = await aRunningLobby();
  await deleteAtOnce();
  await gone();
  expect(graces).toEqual([90_000]);
});

it('a service has the stop timeout of its template if the document of the template was deleted by hand', async () => {
  const { data, graces, gone } = await aRunningLobby();
  await rm(join(data, 'config', 'templates', 'lobby.json'));
  await gone();
  expect(graces).toEqual([90_000]);
});
