import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { masterConfigSchema, type MasterConfig } from '#shared/config/master.ts';
import { checkAddress, checkPort, countCloudNodes } from '#master/doctor/link.ts';
import { openLink } from '#master/link/open-link.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const configOf = (hostname: string, port = 1510): MasterConfig =>
  masterConfigSchema.parse({ communication: { hostname, port } });

describe('the check of "overworld-master doctor" for the plugin link', () => {
  it('reports a loopback address if cloud nodes exist, and an address that the machine does not have', async () => {
    const data = temporaryFolder();
    expect(await countCloudNodes(data)).toBe(0);
    expect(checkAddress(configOf('127.0.0.1'), 0).verdict).toBe('warning');
    await mkdir(join(data, 'state'));
    await writeFile(join(data, 'state', 'nodes.json'), '{"machines": [{}, {}]}');
    const rented = await countCloudNodes(data);
    expect(checkAddress(configOf('127.0.0.1'), rented)).toMatchObject({
      verdict: 'bad',
      found: expect.stringContaining('2 cloud nodes exist') as string,
    });
    expect(checkAddress(configOf('203.0.113.9'), 0).verdict).toBe('bad');
    expect(checkAddress(configOf('0.0.0.0'), rented).verdict).toBe('ok');
  });

  it('tests whether the running master accepts plugins on the configured port', async () => {
    const [data, other] = [temporaryFolder(), temporaryFolder()];
    const logged: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) });
    const opened = await Promise.all(
      [data, other].map(async (folder) => {
        for (const name of ['config', 'state']) await mkdir(join(folder, name));
        const link = await openLink({
          config: join(folder, 'config'),
          state: join(folder, 'state'),
          ...{ hostname: '127.0.0.1', port: 0, cluster: 'c', now: Date.now },
          log,
        });
        onTestFinished(() => link.close());
        return link;
      }),
    );
    const [own, others] = opened.map(({ state }) => state.listening?.port ?? 0);
    const find = (port = 0) => checkPort(configOf('127.0.0.1', port), { data, isMasterRunning: true });
    expect(await find(own)).toMatchObject({ verdict: 'ok' });
    expect(await find(others)).toMatchObject({
      verdict: 'bad',
      found: `The master is running, but another program uses 127.0.0.1:${others}.`,
    });
    // The doctor's connection closes without a greeting. The master does not log it as a rejected plugin.
    expect(logged).toEqual([]);
    await opened[1]?.close();
    expect(await find(others)).toMatchObject({
      verdict: 'bad',
      found: `The master is running, but does not accept plugins on 127.0.0.1:${others}.`,
    });
    expect(await checkPort(configOf('127.0.0.1', others), { data, isMasterRunning: false })).toMatchObject({
      verdict: 'ok',
    });
  });
});
