import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { putJar, serviceIn, SMALL } from '#test/support/master/network.ts';
import { joinAsPlayer } from '#test/support/players/player.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

it('the history survives a restart of the master, and the full network is reported only once', async () => {
  const master = new MasterProcess(temporaryFolder(), { from: 26_900, to: 26_924 });
  onTestFinished(() => master.shutDown());
  await master.start();
  const { config, configRevision } = await master.call('config.get', {});
  await master.call('config.update', {
    config: { ...config, max_online_players: 1 },
    basedOn: configRevision,
  });
  await master.call('templates.create', { id: 'lobby', config: { ...SMALL, minimumRunningServers: 1 } });
  await putJar(master, 'lobby');
  const { address } = await serviceIn(master, 'RUNNING');
  const player = await joinAsPlayer({ port: address?.port ?? 0, username: 'Alex' });
  onTestFinished(() => player.leave());
  await serviceIn(master, 'IN_USE');

  // The master takes a sample every ten seconds. When it shuts down, it stores its samples.
  const peak = async (): Promise<number> =>
    Math.max(...(await master.call('history.get', { range: '1h' })).playersPeak.map((value) => value ?? 0));
  await waitFor(async () => (await peak()) === 1, { what: 'the player in the history' });
  const before = await master.call('history.get', { range: '24h' });
  await master.terminate();
  expect(await readFile(join(master.data, 'state', 'history.jsonl'), 'utf8')).toMatch(/^\["1h",/);

  await master.start();
  expect(await peak()).toBe(1);
  const after = await master.call('history.get', { range: '24h' });
  const begun = before.at.findIndex((_, i) => before.services[i] !== null);
  const same = after.at.indexOf(before.at[begun] ?? 0);
  expect(after.services[same]).not.toBeNull();
  expect(after.playerLimit[same]).not.toBeNull();
  expect(after.ramTotalMb[same]).toBe(before.ramTotalMb[begun]);
  expect(await master.call('costs.get', {})).toMatchObject({
    perHour: 0,
    month: 0,
    rentedNodes: 0,
    canRent: false,
  });

  // The master knows the player counts again. The network was full before and still is, so the master reports this
  // only once.
  await serviceIn(master, 'IN_USE');
  const told = async (): Promise<string[]> =>
    (await master.call('activity.list', { limit: 50, subject: 'network' })).map(({ kind }) => kind);
  expect(await told()).toEqual(['network.limit-reached']);
  await player.leave();
  await waitFor(async () => (await told()).length === 2);
  expect(await told()).toEqual(['network.limit-left', 'network.limit-reached']);
});
