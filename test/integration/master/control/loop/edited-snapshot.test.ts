import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { watchConfig } from '#master/control/feed/config-watch.ts';
import { takeSnapshot } from '#master/control/loop/take-snapshot.ts';
import { templateConfigSchema, type TemplateConfig } from '#shared/config/template.ts';
import { loopFixture } from '#test/support/master/loop-fixture.ts';
import { SMALL } from '#test/support/master/network.ts';
import { practiceServerJar } from '#test/support/players/practice-server.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const CONFIG = templateConfigSchema.parse(SMALL);

/** Opens a master with a template whose last start has failed. */
async function aFailedTemplate() {
  const data = temporaryFolder();
  const { parts } = await loopFixture(data, { from: 26_550, to: 26_574 });
  onTestFinished(watchConfig(parts, () => undefined));
  await parts.config.createTemplate('lobby', CONFIG);
  await parts.templates.create('lobby');
  await copyFile(await practiceServerJar(), join(data, 'templates', 'lobby', 'server.jar'));
  await waitFor(() => Promise.resolve(parts.templates.state('lobby').revision !== null));
  parts.startBackoffs.count('lobby', parts.now(), { ranMs: null, timedOutMs: 0 });
  const retryAt = (config?: TemplateConfig): number | null | undefined =>
    takeSnapshot(parts, config === undefined ? {} : { template: { id: 'lobby', config } }).templates[0]
      ?.retryAt;
  return {
    snapshot: (edits?: Parameters<typeof takeSnapshot>[1]) => takeSnapshot(parts, edits),
    config: parts.config,
    nodeBackoff: parts.nodeBackoff,
    folder: join(data, 'templates', 'lobby'),
    retryAt,
  };
}

it('the preview of an edit shows no back-off after a failed start, because saving the edit ends the back-off', async () => {
  const { config, retryAt } = await aFailedTemplate();
  const edited = { ...CONFIG, maxJvmMemory: 128 };
  expect(retryAt()).toBeGreaterThan(0);
  expect(retryAt(edited)).toBeNull();
  await config.writeTemplate('lobby', edited, config.template('lobby').revision);
  expect(retryAt()).toBeNull();
});

it('the preview of an edit shows no back-off of the template on a node, because saving the edit ends it', async () => {
  const { nodeBackoff, snapshot } = await aFailedTemplate();
  for (const template of ['lobby', 'other'])
    nodeBackoff.count({ node: 'local', template, begunAt: 1_000, reason: 'There is no Java 25.' }, 2_000);
  const ofNode = (edits?: Parameters<typeof snapshot>[0]) =>
    snapshot(edits)
      .nodes[0]?.startBackoffs.map(({ template }) => template)
      .sort();
  expect(ofNode()).toEqual(['lobby', 'other']);
  expect(ofNode({ template: { id: 'lobby', config: CONFIG } })).toEqual(['other']);
});

it.each(['its configuration', 'its files'])(
  'the back-off of a template on a node ends when someone changes %s',
  async (changed) => {
    const { config, nodeBackoff, folder } = await aFailedTemplate();
    for (const template of ['lobby', 'other'])
      nodeBackoff.count({ node: 'local', template, begunAt: 1_000, reason: 'There is no Java 25.' }, 2_000);
    if (changed === 'its files') await writeFile(join(folder, 'motd.txt'), 'Hi');
    else {
      const edited = { ...CONFIG, maxJvmMemory: 128 };
      await config.writeTemplate('lobby', edited, config.template('lobby').revision);
    }
    await waitFor(() => nodeBackoff.of('local').length === 1);
    expect(nodeBackoff.of('local')).toMatchObject([{ template: 'other' }]);
  },
);
