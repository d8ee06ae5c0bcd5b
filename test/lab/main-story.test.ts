import { expect, it } from 'vitest';
import { putJar, servicesOf, setConfig, SMALL } from '../support/master/network.ts';
import { waitFor } from '../support/wait-for.ts';
import { run } from './kit/run.ts';
import { twinsIn } from './stage/jvms.ts';
import { testStage } from './stage/stage.ts';

const HOUR_MS = 3_600_000;

/**
 * Runs through a complete day of a network in a few minutes, on nodes that really boot, and checks what the admin
 * sees.
 */
it('the master orders nodes and starts services when players join, and releases nodes after they have left', async () => {
  const fixture = await testStage();
  const { master, cloud } = fixture;
  await fixture.start({ provider: { configure_mode: true, server_port: 2222 } });
  await master.call('templates.create', {
    id: 'lobby',
    config: { ...SMALL, maxJvmMemory: 32, minimumRunningServers: 3, killUnusedTooManyServersAfter: 2_000 },
  });
  await putJar(master, 'lobby');

  // In configure mode, the master orders no node, and reports the reason.
  await waitFor(async () =>
    (await servicesOf(master)).some(({ waiting }) => waiting?.reason === 'CONFIGURE_MODE'),
  );
  expect(await master.call('plan.noOrder', {})).toMatchObject({ reason: 'CONFIGURE_MODE' });
  expect(cloud.api.everOrdered()).toEqual([]);

  await fixture.configure({ provider: { configure_mode: false } });
  await fixture.waitForServices(3, 'RUNNING');
  expect(await fixture.nodes()).toMatchObject([
    { id: 'node-1', kind: 'hetzner', state: 'READY', services: 3, rental: { type: 'cpx12' } },
  ]);
  const first = cloud.node('node-1');
  // Each service has its own user.
  const jvms = await fixture.jvms();
  expect(jvms.map(({ service }) => service).sort()).toEqual(['lobby-1', 'lobby-2', 'lobby-3']);
  expect(jvms.map(({ user }) => user).sort()).toEqual([
    'overworld-25565',
    'overworld-25566',
    'overworld-25567',
  ]);
  const [, , group] = (await first.must('getent group overworld-game')).split(':');
  // The unit contains only public facts about a service.
  const unit = await first.must(
    'systemctl show overworld@lobby-1 -p ActiveState,MemoryMax,Group,NoNewPrivileges',
  );
  expect(unit.split('\n').sort()).toEqual([
    'ActiveState=active',
    `Group=${group}`,
    `MemoryMax=${(32 + 375) * 1_048_576}`,
    'NoNewPrivileges=yes',
  ]);
  // The first host key was in the user data, which the provider stores. The current host key is a different one.
  const shown = (await run('ssh-keyscan', ['-t', 'ed25519', '-p', '2222', first.address])).stdout.split(
    ' ',
  )[2];
  expect(shown).toMatch(/^AAAA/);
  expect(cloud.api.machine(first.name).userData).toContain('ssh-ed25519 AAAA');
  expect(cloud.api.machine(first.name).userData).not.toContain(shown?.trim());

  // Players join. Services in use do not count as ready, so a fourth service starts. With this service, the node is
  // filled beyond its threshold, and the master orders a second node.
  const players = [await fixture.join('lobby-1', 'Alex'), await fixture.join('lobby-1', 'Steve')];
  await waitFor(async () => (await fixture.services()).includes('lobby-1 IN_USE node-1'));
  await waitFor(async () => (await fixture.nodes()).filter(({ state }) => state === 'READY').length === 2, {
    timeoutMs: 90_000,
    what: 'a second node',
  });
  const [ordered] = await master.call('activity.list', {
    limit: 1,
    subject: 'node-2',
    kinds: ['node.ordered'],
  });
  expect(ordered?.cause).toMatch(/1628 of 1710 MB allocated, 95 % ≥ 80 %/);
  players.push(await fixture.join('lobby-2', 'Herobrine'));
  await waitFor(async () => (await fixture.services()).includes('lobby-5 RUNNING node-2'), {
    timeoutMs: 60_000,
  });
  expect(twinsIn(await fixture.jvms())).toEqual([]);

  // The players leave. Services that are no longer needed are stopped, and the second node is released shortly
  // before its paid hour ends.
  for (const player of players) await player.leave();
  await fixture.waitForServices(3, 'RUNNING');
  fixture.advance(HOUR_MS / 2);
  await waitFor(async () => (await fixture.nodes()).find(({ id }) => id === 'node-2')?.services === 0, {
    timeoutMs: 60_000,
    what: 'the second node to be empty',
  });
  expect(cloud.nodes).toHaveLength(2);
  await fixture.letHoursEnd(() => cloud.nodes.length < 2);
  await waitFor(async () => (await fixture.nodes()).map(({ id }) => id).join() === 'node-1');
  await fixture.waitForServices(3, 'RUNNING');

  // The network closes. All nodes are released, and no hour was paid twice.
  await setConfig(master, 'lobby', { minimumRunningServers: 0 });
  await fixture.waitForServices(0, '');
  await fixture.letHoursEnd(() => cloud.nodes.length === 0);
  await waitFor(() => cloud.api.world.firewalls.size === 0, { timeoutMs: 60_000, what: 'no firewall' });
  await waitFor(async () => (await fixture.nodes()).length === 0);
  expect(cloud.api.servers()).toEqual([]);
  expect([...cloud.api.world.primaryIps.values()]).toEqual([]);
  expect(
    cloud.api
      .everOrdered()
      .map(({ created, deleted }) => Math.ceil(((deleted ?? Infinity) - created) / HOUR_MS)),
  ).toEqual([1, 1]);
});
