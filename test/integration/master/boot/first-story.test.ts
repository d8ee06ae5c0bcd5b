import { describe, expect, it, onTestFinished } from 'vitest';
import { jvmsOf, MasterProcess } from '#test/support/master/master-process.ts';
import { putJar, serviceIn, servicesOf, setConfig, SMALL } from '#test/support/master/network.ts';
import { joinAsPlayer } from '#test/support/players/player.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** The shortest run through the whole master. `npm run test:quick` runs it after the unit tests. */
describe('a real master with real services', () => {
  it('moves a service through all its states, and records a cause for each state', async () => {
    const master = new MasterProcess(temporaryFolder(), { from: 26_000, to: 26_049 });
    onTestFinished(() => master.shutDown());
    await master.start();
    await master.call('templates.create', { id: 'lobby', config: { ...SMALL, minimumRunningServers: 1 } });

    const waiting = await waitFor(async () =>
      (await servicesOf(master)).find((s) => s.waiting?.reason === 'SERVER_JAR_MISSING'),
    );
    expect(waiting).toMatchObject({ id: 'lobby-1', state: 'REQUESTED', ramMb: 64 + 375 });
    expect(waiting.waiting?.message).toContain(
      'Upload one into its folder; the service then starts automatically.',
    );

    await putJar(master, 'lobby');
    const running = await serviceIn(master, 'RUNNING');
    expect(running).toMatchObject({ id: 'lobby-1', players: { online: 0, max: 2 }, node: 'local' });
    expect((await jvmsOf(master.data)).get('lobby-1')).toHaveLength(1);

    const player = await joinAsPlayer({ port: running.address?.port ?? 0, username: 'Alex' });
    const inUse = await serviceIn(master, 'IN_USE');
    expect(inUse.players).toEqual({ online: 1, max: 2 });
    // A service with players does not count towards the minimum, so the minimum requires another service.
    await waitFor(async () =>
      (await servicesOf(master)).some((s) => s.id === 'lobby-2' && s.state === 'RUNNING'),
    );
    await player.leave();
    await waitFor(async () => (await servicesOf(master)).every((s) => s.state === 'RUNNING'));

    await setConfig(master, 'lobby', { minimumRunningServers: 0, killUnusedTooManyServersAfter: 500 });
    await waitFor(async () => (await servicesOf(master)).length === 0, { what: 'all services stopped' });
    expect(await jvmsOf(master.data)).toEqual(new Map());

    const events = await master.call('activity.list', { limit: 200, subject: 'lobby-1' });
    const told = events.reverse().map((event) => `${event.kind}: ${event.cause}`);
    expect(told).toEqual([
      'service.requested: minimumRunningServers is 1; 0 ready, 0 starting',
      expect.stringMatching(/^service\.waiting: Template lobby has no server\.jar/),
      expect.stringMatching(/^service\.preparing: priority 1; takes 439 of \d+ MB free on local/),
      expect.stringMatching(/^service\.starting: /),
      expect.stringMatching(/^service\.running: it answered after/),
      'service.in-use: 1 of 2 players are on it',
      'service.running: the last player left',
      expect.stringMatching(
        /^service\.stopping: unused for \d+ s \(killUnusedTooManyServersAfter is 500 ms\)/,
      ),
      expect.stringMatching(/^service\.stopped: unused for/),
    ]);
  });
});
