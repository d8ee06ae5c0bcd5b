import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isUp } from '#shared/model/service.ts';
import type { MasterTimes } from '#master/cli/times-option.ts';
import { jvmsOf, MasterProcess } from '#test/support/master/master-process.ts';
import { putJar, serviceIn, servicesOf, setConfig, SMALL } from '#test/support/master/network.ts';
import { joinAsPlayer } from '#test/support/players/player.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

async function aMaster(from: number, times: MasterTimes = {}): Promise<MasterProcess> {
  const args = ['--times', JSON.stringify(times)];
  const master = new MasterProcess(temporaryFolder(), { from, to: from + 49 }, args);
  onTestFinished(() => master.shutDown());
  await master.start();
  return master;
}

describe('a real master with real services', () => {
  it('starts and stops a service on request, and sends commands to its console', async () => {
    const master = await aMaster(26_050);
    await master.call('templates.create', {
      id: 'arena',
      config: { ...SMALL, maximumOnlineServers: 1, isProxy: true },
    });
    await putJar(master, 'arena');
    const { id } = await master.call('services.start', { template: 'arena' });
    await expect(master.call('services.start', { template: 'arena' })).rejects.toMatchObject({
      code: 'CAP_REACHED',
    });
    await serviceIn(master, 'RUNNING');
    const lines = await master.call('services.followLog', { id, lines: 100 });
    expect(lines.map((line) => line.text).join('\n')).toContain('Done (');
    await master.call('services.command', { id, line: 'say hello' });
    await waitFor(async () => {
      const log = await master.call('services.followLog', { id, lines: 5 });
      return log.some((line) => line.text.includes('hello'));
    });
    await master.call('services.stop', { id, kill: false });
    // The service stops with the command of a game server, although its template has the default `isProxy`.
    await waitFor(async () => (await servicesOf(master)).length === 0);
    const [stopped] = await master.call('activity.list', { limit: 1, subject: id });
    expect(stopped).toMatchObject({ kind: 'service.stopped', cause: 'requested by local' });
    expect(stopped?.message).toContain('exit code 0');
  });

  it('waits longer after each failed start, and retries at once after the template has changed', async () => {
    const master = await aMaster(26_100);
    await master.call('templates.create', { id: 'broken', config: { ...SMALL, minimumRunningServers: 1 } });
    await putJar(master, 'broken');
    await serviceIn(master, 'RUNNING');
    await master.call('services.command', { id: 'broken-1', line: 'crash' });
    const again = await waitFor(async () => (await servicesOf(master)).find((s) => s.failure && isUp(s)));
    expect(again.failure?.error).toMatchObject({ code: 'SERVICE_EXITED', details: { exit: 'exit code 3' } });
    await master.call('services.command', { id: 'broken-1', line: 'crash' });
    const failed = await waitFor(async () =>
      (await servicesOf(master)).find((s) => s.failure?.attempts === 2 && s.waiting !== null),
    );
    expect(failed).toMatchObject({ state: 'REQUESTED', waiting: { reason: 'BACKING_OFF' } });
    expect((await master.call('services.failureLog', { id: 'broken-1' })).join('\n')).toContain('crash');
    await setConfig(master, 'broken', { name: 'Mended' });
    await serviceIn(master, 'RUNNING');
  });

  it('on request, kills a hanging service at once, and gives it no time to save', async () => {
    const master = await aMaster(26_150, { limits: { unresponsiveAfterMs: 3_000 } });
    await master.call('templates.create', { id: 'stuck', config: SMALL });
    await putJar(master, 'stuck');
    const { id } = await master.call('services.start', { template: 'stuck' });
    await serviceIn(master, 'RUNNING');
    await master.call('services.command', { id, line: 'hang' });
    await waitFor(async () => (await servicesOf(master)).find((s) => s.unresponsive));
    await master.call('services.stop', { id, kill: true });
    // A server that is stopped without `kill` gets 30 s to save.
    await waitFor(async () => (await servicesOf(master)).length === 0);
    expect(await jvmsOf(master.data)).toEqual(new Map());
  });

  it('keeps services and players during a restart of the master', async () => {
    const master = await aMaster(26_200);
    // With a maximum of one service, no spare service starts.
    const config = { ...SMALL, minimumRunningServers: 1, maximumOnlineServers: 1 };
    await master.call('templates.create', { id: 'lobby', config });
    await putJar(master, 'lobby');
    const { address } = await serviceIn(master, 'RUNNING');
    const jvms = await jvmsOf(master.data);
    const player = await joinAsPlayer({ port: address?.port ?? 0, username: 'Steve' });
    onTestFinished(() => player.leave());
    await master.terminate();
    await master.start();
    const adopted = await serviceIn(master, 'IN_USE');
    expect(adopted).toMatchObject({ id: 'lobby-1', players: { online: 1 } });
    expect(await jvmsOf(master.data)).toEqual(jvms);
    expect(jvms.get('lobby-1')).toEqual([adopted.pid]);
  });

  it('adopts running services even if the state folder was lost', async () => {
    const master = await aMaster(26_250);
    await master.call('templates.create', { id: 'lobby', config: { ...SMALL, minimumRunningServers: 1 } });
    await putJar(master, 'lobby');
    await serviceIn(master, 'RUNNING');
    const jvms = await jvmsOf(master.data);
    await master.kill();
    await rm(join(master.data, 'state'), { recursive: true });
    await master.start();
    const adopted = await serviceIn(master, 'RUNNING');
    expect(adopted).toMatchObject({
      id: 'lobby-1',
      cause: 'minimumRunningServers is 1; 0 ready, 0 starting',
    });
    // Do not compare with the earlier `pid`. Right after a start, it may be the pid of the shell that starts the
    // server.
    expect(await jvmsOf(master.data)).toEqual(jvms);
    expect(jvms.get('lobby-1')).toEqual([adopted.pid]);
    // The number of the adopted service is not reused, although no file on the disk contains it.
    const { id } = await master.call('services.start', { template: 'lobby' });
    expect(id).toBe('lobby-2');
  });
});
