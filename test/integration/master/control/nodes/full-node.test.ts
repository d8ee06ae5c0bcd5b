import type { LoopContext } from '#master/control/loop/loop-context.ts';
import { join } from 'node:path';
import { copyFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import { ServiceCommands } from '#master/control/services/service-commands.ts';
import { OverrideCommands } from '#master/control/services/override-commands.ts';
import { LogStore } from '#master/runtime/log/log-store.ts';
import { createProcessRuntime } from '#master/runtime/process/process-runtime.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import { loopFixture } from '#test/support/master/loop-fixture.ts';
import { SMALL } from '#test/support/master/network.ts';
import { aRentedNode } from '#test/support/nodes/rented-node.ts';
import { practiceServerJar } from '#test/support/players/practice-server.ts';
import { canMount, fillDisk, smallDisk } from '#test/support/files/small-disk.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/**
 * RAM of the node with the full disk (MB). The master prefers this node for each service, because it is the smaller
 * node.
 */
const FULL_NODE_RAM_MB = 2_000;

/** Starts a master with its own machine and a second real node on a small disk. */
async function twoNodes() {
  const data = temporaryFolder();
  const { parts, start } = await loopFixture(data, { from: 27_900, to: 27_924 });
  const disk = smallDisk(16);
  const second = createProcessRuntime({
    cluster: 'full-node-test',
    folder: join(disk, 'services'),
    logs: new LogStore(join(disk, 'logs')),
    sharedFiles: join(data, 'files'),
    templates: parts.templates,
    ports: { from: 27_925, to: 27_949 },
    host: '127.0.0.1',
  });
  onTestFinished(() => second.close());
  const info = aRentedNode({ id: 'node-1', address: '127.0.0.1', ramMb: FULL_NODE_RAM_MB, rental: null });
  const nodes = parts.registry.nodes.bind(parts.registry);
  parts.registry.nodes = () => [...nodes(), info];
  const runtimeOf: NodeAccess['runtimeOf'] = (node) => (node === info.id ? second : parts.runtimeOf(node));
  await parts.config.createTemplate(
    'lobby',
    templateConfigSchema.parse({ ...SMALL, maximumOnlineServers: 4 }),
  );
  await parts.templates.create('lobby');
  await copyFile(await practiceServerJar(), join(data, 'templates', 'lobby', 'server.jar'));
  const all: LoopContext = { ...parts, runtimeOf };
  const loop = await start(all);
  onTestFinished(() => loop.empty('the test ends'));
  const running = (): string[] =>
    parts.records.all.filter(({ state }) => state === 'RUNNING').map(({ id, node }) => `${id} on ${node}`);
  const orders = new ServiceCommands(all, loop);
  const runs = async (...services: string[]): Promise<void> => {
    const what = `only these run: ${services.join(', ')}`;
    await waitFor(() => Promise.resolve(running().sort().join() === services.join()), { what });
  };
  return { parts: all, disk, orders, overrideCommands: new OverrideCommands(all, loop), runs };
}

describe.skipIf(!canMount)('a node with a full disk', () => {
  it('gets no further services after one failed start until a person resumes the node', async () => {
    const { parts, disk, orders, overrideCommands, runs } = await twoNodes();
    const free = await fillDisk(disk);
    await orders.start('lobby', 'ana');
    await runs('lobby-1 on local');
    const failures = parts.events.query({ limit: 50, kinds: ['service.failed'] });
    expect(failures.map(({ message, cause }) => `${message} ${cause}`)).toEqual([
      expect.stringMatching(
        /^The disk is full; .* attempt 1; retried on another node with room, or on node-1 in 5 s$/,
      ),
    ]);
    // The failed start does not delay other starts of the template.
    expect(parts.startBackoffs.retryAt('lobby')).toBeNull();
    const [backoff] = parts.nodeBackoff.of('node-1');
    expect(backoff?.template).toBe('lobby');
    expect(backoff?.reason).toContain('The disk is full');

    await free();
    await overrideCommands.scheduleNode('node-1', 'resume', 'ana');
    expect(parts.nodeBackoff.of('node-1')).toEqual([]);
    await orders.start('lobby', 'ana');
    await runs('lobby-1 on local', 'lobby-2 on node-1');
  });
});
