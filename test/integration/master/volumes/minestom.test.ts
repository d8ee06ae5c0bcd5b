import { describe, expect, it, onTestFinished } from 'vitest';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { putJar, servicesOf } from '#test/support/master/network.ts';
import { breakBlock, MINESTOM_SURVIVAL, placeBlock } from '#test/support/players/block-player.ts';
import { minestomServer } from '#test/support/players/minestom-server.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

// Only the nightly run downloads and builds the server. Other runs use the server if it is already built.
const server = await minestomServer({ build: process.env['OVERWORLD_NIGHTLY'] === '1' });
const why = server.kind === 'missing' ? ` (skipped: ${server.why})` : '';

describe.skipIf(server.kind === 'missing')(`a real Minecraft server${why}`, () => {
  it('is saved with a complete world, and still has a placed block after a restart', async () => {
    const master = new MasterProcess(temporaryFolder(), { from: 26_550, to: 26_574 });
    onTestFinished(() => master.shutDown());
    await master.start();
    await master.call('templates.create', { id: 'survival', config: MINESTOM_SURVIVAL });
    await putJar(master, 'survival', server.kind === 'ready' ? server.jar : '');
    const runningAfter = (before: number | null) =>
      waitFor(
        async () => {
          const [service] = await servicesOf(master);
          if (service?.state !== 'RUNNING' || service.stopping !== null || service.pid === before)
            return undefined;
          const { id, pid, address } = service;
          return address !== null && { master, id, pid, address };
        },
        // The start of Minestom takes many seconds of CPU time.
        { timeoutMs: 240_000, what: 'the server to run' },
      );
    const first = await runningAfter(null);
    await placeBlock(first);
    const save = await master.call('volumes.save', { id: 'survival/1' });
    expect(save.consistent).toBe(true);
    // Kill the server, so that only the save can contain the block.
    await master.call('services.restart', { id: first.id, kill: true });
    await breakBlock(await runningAfter(first.pid));
  }, 600_000);
});
