import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseProcesses, type ProcessList } from '#master/balancer/haproxy/reload.ts';
import { player } from '#test/support/haproxy/client.ts';
import { testProxy, type TestProxy } from '#test/support/haproxy/proxy.ts';
import { adoptedFixture, HAPROXY, type HaproxyFixture } from '#test/support/haproxy/haproxy-fixture.ts';
import { waitFor } from '#test/support/wait-for.ts';

const PROGRAM = fileURLToPath(new URL('../../../support/haproxy/restless-balancer.ts', import.meta.url));
const KILLS = 8;

/** Lets a master make changes continuously, and kills it after the given time. */
async function changeAndKill(
  fixture: HaproxyFixture,
  proxies: readonly TestProxy[],
  afterMs: number,
): Promise<void> {
  const ports = proxies.map((proxy) => String(proxy.entry().port));
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', PROGRAM, fixture.config, String(fixture.port), ...ports],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const gone = new Promise((resolve) => child.once('exit', resolve));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill('SIGKILL');
  await gone;
}

/**
 * Returns the processes that HAProxy's master process lists. The master process is briefly unavailable during a
 * reload.
 */
function processes(fixture: HaproxyFixture): Promise<ProcessList> {
  return waitFor(async () => parseProcesses(await fixture.master('show proc')));
}

describe.skipIf(HAPROXY === null)('a master that is killed while it changes HAProxy', () => {
  it('leaves a valid configuration file behind, and disconnects no players', async () => {
    const { fixture, balancer } = await adoptedFixture();
    const proxies = [];
    for (let i = 1; i <= 4; i += 1) proxies.push(await testProxy(`proxy-${i}`));
    balancer.want(proxies.map((proxy) => proxy.entry()));
    await waitFor(async () => (await fixture.readyServers()).length === 4);
    await waitFor(async () => (await fixture.read()).includes('proxy-4'));
    await balancer.close();
    const clients = [];
    for (let i = 0; i < 6; i += 1) clients.push(await player(fixture.port));

    for (let kill = 0; kill < KILLS; kill += 1) {
      await changeAndKill(fixture, proxies, 60 + kill * 37);
      for (const client of clients) await client.echo(`after ${kill}`);
      // The file on disk is complete, so HAProxy accepts it on a reload.
      const before = await processes(fixture);
      await fixture.master('reload');
      const after = await waitFor(async () => {
        const now = await processes(fixture);
        return now.reloads > before.reloads && now;
      });
      expect(after.failed).toBe(before.failed);
      await waitFor(async () => (await fixture.readyServers()).length > 0);
      expect(['proxy-1', 'proxy-2', 'proxy-3', 'proxy-4']).toContain((await player(fixture.port)).proxy);
    }

    const next = await fixture.open();
    const [one, two] = proxies;
    if (one === undefined || two === undefined) throw new Error('no proxies');
    next.want([one.entry(), two.entry({ open: false })]);
    await waitFor(async () => /^proxy-1 ready,proxy-2 (drain|maint)$/.test((await fixture.servers()).join()));
    await waitFor(async () => {
      const lines = (await fixture.read()).split('\n').filter((line) => line.startsWith('    server '));
      return lines.length === 2 && lines[1]?.includes(' disabled ') === true;
    });
    expect(next.view).toMatchObject({ state: 'working', error: null });
    expect((await readdir(fixture.folder)).filter((name) => name.endsWith('overworld-new'))).toEqual([]);
    for (const client of clients) await client.echo('to the end');
  });
});
