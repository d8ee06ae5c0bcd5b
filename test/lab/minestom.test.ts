import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { putJar, servicesOf } from '../support/master/network.ts';
import { volumeOf } from '../support/master/world.ts';
import { buildSmallJre } from '../support/java/small-jre.ts';
import { breakBlock, MINESTOM_SURVIVAL, placeBlock } from '../support/players/block-player.ts';
import { minestomServer } from '../support/players/minestom-server.ts';
import { waitFor } from '../support/wait-for.ts';
import { nightly } from './kit/nightly.ts';
import { sharedStage } from './stage/stage.ts';

// The lab cannot download anything, so the server must already be built, for example by the integration test with
// this server.
const server = nightly
  ? await minestomServer({ build: false })
  : ({ kind: 'missing', why: 'it runs nightly' } as const);
const why = server.kind === 'missing' ? ` (skipped: ${server.why})` : '';

/** Modules that Minestom needs besides `java.base`. */
const MODULES = [
  'java.logging',
  'java.desktop',
  'java.management',
  'java.net.http',
  'java.xml',
  'jdk.unsupported',
];

describe.skipIf(server.kind === 'missing')(`a real Minecraft server on cloud nodes${why}`, () => {
  const jre = server.kind === 'ready' ? buildSmallJre(server.jdk, MODULES) : null;
  afterAll(() => jre?.remove());
  const fixture = sharedStage((stage) => stage.start());

  it('keeps a block that a real client has placed, even after a move to another node', async () => {
    const stage = fixture();
    const { master } = stage;
    await master.call('templates.create', { id: 'survival', config: MINESTOM_SURVIVAL });
    // Keep the links of the runtime relative, because links in a template must be relative.
    await cp(jre?.folder ?? '', join(master.data, 'templates', 'survival', 'jre'), {
      ...{ recursive: true, verbatimSymlinks: true },
    });
    await putJar(master, 'survival', server.kind === 'ready' ? server.jar : '');
    const runningOn = (isNode: (node: string) => boolean) =>
      waitFor(
        async () => {
          const [service] = await servicesOf(master);
          const { id = '', node = null, address = null } = service ?? {};
          if (service?.state !== 'RUNNING' || service.stopping !== null) return undefined;
          return node !== null && isNode(node) && address !== null && { master, id, node, address };
        },
        { timeoutMs: 180_000, what: 'the service on a node' },
      );
    const before = await runningOn(() => true);
    await placeBlock(before);
    await master.call('nodes.schedule', { id: before.node, to: 'release' });
    const after = await runningOn((node) => node !== before.node);
    expect((await volumeOf(master))?.lastSave).toMatchObject({ consistent: true, node: before.node });
    await breakBlock(after);
  });
});
