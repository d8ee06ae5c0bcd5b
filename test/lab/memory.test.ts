import { randomFillSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { putJar, setConfig, SMALL } from '../support/master/network.ts';
import { waitFor } from '../support/wait-for.ts';
import { testStage } from './stage/stage.ts';

const MEBIBYTE = 1_048_576;

/** Number of files of the template; their total is larger than a master's memory limit. */
const FILES = 200;
const FILE_BYTES = 2 * MEBIBYTE;

/**
 * Number of lines that a service writes at once, which take 40 MB in the journal's format. They are within the limits
 * of the service (overworld@.service).
 */
const LINES = 40_000;

/**
 * Data that passes through a master must not accumulate in its memory. The fixture limits how much memory each master
 * may use (stage.ts).
 */
it('a master with little memory can handle large templates, hanging nodes and very many log lines', async () => {
  const fixture = await testStage();
  const { master, cloud } = fixture;
  await fixture.start();
  await master.call('templates.create', { id: 'lobby', config: { ...SMALL, minimumRunningServers: 0 } });
  const worlds = join(master.data, 'templates', 'lobby', 'worlds');
  await mkdir(worlds);
  const content = Buffer.alloc(FILE_BYTES);
  for (let n = 0; n < FILES; n++) await writeFile(join(worlds, `${n}.mca`), randomFillSync(content));
  await putJar(master, 'lobby');

  // The node hangs during the transfer, and continues before the master declares the node lost.
  await setConfig(master, 'lobby', { minimumRunningServers: 1 });
  const node = await waitFor(
    async () => {
      const [found] = cloud.nodes;
      const bytes = await found?.run('du -sb /var/lib/overworld | cut -f1');
      return Number(bytes?.stdout) > (FILES * FILE_BYTES) / 10 ? found : null;
    },
    { timeoutMs: 120_000, what: 'a tenth of the template on the node' },
  );
  await node.pause();
  await waitFor(async () => (await fixture.nodes())[0]?.note?.includes('cannot be reached'));
  node.resume();
  await fixture.waitForServices(1, 'RUNNING', 180_000);

  const [service] = await fixture.jvms();
  const id = service?.service ?? '';
  // Follow the log over a connection that reads all data that it receives.
  const lastLines = async (): Promise<string[]> =>
    (await master.call('services.followLog', { id, lines: 5 })).map(({ text }) => text);
  await lastLines();
  await master.call('services.command', { id, line: `spam ${LINES}` });
  const last = `Spam line ${LINES} of ${LINES}`;
  await waitFor(async () => (await lastLines()).some((line) => line.includes(last)), {
    timeoutMs: 120_000,
    what: 'the last line',
  });
  expect(await fixture.services()).toEqual([`${id} RUNNING node-1`]);
});
