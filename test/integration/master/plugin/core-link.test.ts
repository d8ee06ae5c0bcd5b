import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { playerNumber, writeHandOver } from '#test/support/link/plugin-driver.ts';
import { allow, PluginFixture } from '#test/support/link/plugin-fixture.ts';
import { backendOf } from '#test/support/master/scripted-master.ts';
import { waitFor } from '#test/support/wait-for.ts';

const fixture = new PluginFixture();
const anna = playerNumber(1);

describe.concurrent("the connection of the plugin's core to the master", () => {
  it('uses TLS 1.3, and begins with a greeting that matches the schema of the link', async () => {
    const master = await fixture.newMaster();
    const core = await fixture.coreOf(master);
    const link = await master.connection();
    expect(link.protocol).toBe('TLSv1.3');
    expect(link.all('hello')).toEqual([
      {
        type: 'hello',
        version: 1,
        service: 'proxy-1',
        token: master.handOver('proxy-1').token,
        platform: 'practice',
        software: 'Driver "1.0"',
        plugin: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
        allowance: 0,
      },
    ]);
    await core.ask('close');
  });

  it('can use TLS 1.2', async () => {
    const master = await fixture.newMaster();
    await master.close();
    await master.listen('TLSv1.2');
    const core = await fixture.coreOf(master);
    expect((await master.connection()).protocol).toBe('TLSv1.2');
    await core.ask('close');
  });

  it('sends nothing to a server with an unknown certificate', async () => {
    const [master, other] = [await fixture.newMaster(), await fixture.newMaster()];
    const core = await fixture.driver.core('pinned', { ...master.handOver('proxy-1'), port: other.port });
    const log = await core.happens({ event: 'log', whom: 'WARNING' });
    expect(log.text).toContain("a certificate that is not the master's");
    expect(other.connections).toEqual([]);
    await core.ask('close');
  });

  it('is not opened without a connection file from the master, and the reason is logged once', async () => {
    const core = await fixture.driver.core('foreign', null);
    expect(await core.login(anna)).toEqual({ allowed: true, message: '' });
    expect(await core.join(anna)).toBeNull();
    expect(await core.switch(anna, 'anywhere')).toEqual({ allowed: true, message: '' });
    expect(await core.numbers()).toEqual({ active: false, known: false, online: 0, limit: 0, servers: [] });
    expect(core.happened({ event: 'log' }).map(({ text }) => text)).toEqual([
      'There is no overworld-link.properties here, so this proxy was not started by Overworld: its plugin does nothing.',
    ]);
  });

  it('sends a heartbeat each second if the master requests this, and answers each ping', async () => {
    const { core, link } = await fixture.linked(1);
    await waitFor(() => link.all('pong').length >= 2, { what: 'two heartbeats' });
    const before = link.all('pong').length;
    for (let i = 0; i < 5; i++) link.send({ type: 'ping' });
    // At most four heartbeats arrive in this time, so the fifth message must be an answer.
    await waitFor(() => link.all('pong').length >= before + 5, { what: 'five answers', timeoutMs: 3_900 });
    await core.ask('close');
  });

  it('is closed and opened again if the master does not respond', async () => {
    const master = await fixture.newMaster();
    const core = await fixture.coreOf(master);
    const link = await master.welcomed(0, true);
    await allow(link, { allowance: 3 });
    await link.closed;
    const again = await master.connection(1);
    expect(again.all('hello')[0]?.allowance).toBe(3);
    await core.ask('close');
  });

  it('is opened again after unreadable messages, and the core keeps its data', async () => {
    const { core, master } = await fixture.linked(2, [backendOf('lobby-1')]);
    const garbage = [
      'no JSON\n',
      `${JSON.stringify({ type: 'allow', seq: 2, allowance: -1, answers: null })}\n`,
      `${JSON.stringify({ type: 'backends', reset: true, put: [{ id: 'lobby-1' }], gone: [], done: true })}\n`,
      Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]),
      `"${'x'.repeat(300_000)}"\n`,
    ];
    for (const [number, text] of garbage.entries()) {
      const link = await master.welcomed(number);
      await link.receive('players');
      link.raw(text);
      await link.closed;
    }
    const last = await master.welcomed(garbage.length);
    // The list contains all players so far. Players who join later are reported one by one.
    await last.receive('players');
    expect(last.all('hello')[0]?.allowance).toBe(2);
    expect(await core.come(anna)).toEqual({ allowed: true, message: '' });
    expect((await last.receive('switched')).server).toBe('lobby-1');
    await core.ask('close');
  });

  it('is opened again after growing delays while the messages of the master are unreadable', async () => {
    const { core, master } = await fixture.linked(2, [backendOf('lobby-1')]);
    const pauses: number[] = [];
    for (let number = 0; number < 3; number++) {
      const link = await master.welcomed(number);
      await link.receive('players');
      // A connection that lasts 5 s usually resets the pause between attempts. A connection that ends with an
      // unreadable message must not reset it.
      const welcomedAt = performance.now();
      await waitFor(() => number < 2 || performance.now() - welcomedAt > 5_300);
      link.raw(`${JSON.stringify({ type: 'network', online: 'many', limit: 5 })}\n`);
      await link.closed;
      const closedAt = performance.now();
      await master.connection(number + 1);
      pauses.push(performance.now() - closedAt);
    }
    expect(pauses[2]).toBeGreaterThan(490);
    expect(await core.login(anna)).toEqual({ allowed: true, message: '' });
    expect(core.happened({ event: 'log', whom: 'WARNING' })).toMatchObject([
      { text: expect.stringContaining('cannot read') as string },
    ]);
    expect(core.happened({ event: 'log', whom: 'INFO' }).length).toBeLessThanOrEqual(2);
    await core.ask('close');
  });

  it('reports at first that the service is not in use', async () => {
    const { core, link } = await fixture.linked(1);
    expect(await link.receive('in-use')).toMatchObject({ inUse: false });
    await core.ask('close');
  });

  it('ignores messages of an unknown type', async () => {
    const { core, link } = await fixture.linked(1);
    link.raw(`${JSON.stringify({ type: 'weather', rain: true })}\n`);
    expect(await allow(link, { allowance: 4 })).toEqual({ allowance: 4, used: 0 });
    await core.ask('close');
  });

  it('stays closed after a rejection of its platform until the connection file changes', async () => {
    const master = await fixture.newMaster();
    const core = await fixture.coreOf(master);
    const first = await master.connection();
    first.send({ type: 'refused', why: 'platform', message: 'The plugin in proxy-1 runs on no proxy.' });
    expect((await core.happens({ event: 'log', whom: 'WARNING' })).text).toContain('runs on no proxy');
    const other = await fixture.newMaster();
    await writeHandOver(core.folder, other.handOver('proxy-1'));
    await other.welcomed();
    expect(master.connections).toHaveLength(1);
    await core.ask('close');
  });

  it('is opened again after at least 15 s if the master has rejected it because its service was removed', async () => {
    const master = await fixture.newMaster();
    const core = await fixture.coreOf(master);
    (await master.connection()).send({
      type: 'refused',
      why: 'token',
      message: 'proxy-1 is no longer a service of this network.',
    });
    const begun = performance.now();
    // The service's node may be missing from the provider's list for some time.
    await master.welcomed(1);
    expect(performance.now() - begun).toBeGreaterThan(14_500);
    await core.ask('close');
  });

  it('is opened again automatically if a master that is starting has rejected it', async () => {
    const master = await fixture.newMaster();
    const core = await fixture.coreOf(master);
    (await master.connection()).send({
      type: 'refused',
      why: 'starting',
      message: 'The master is starting.',
    });
    const again = await master.welcomed(1);
    expect(await again.receive('players', ({ done }) => done)).toMatchObject({ done: true });
    expect(master.connections).toHaveLength(2);
    await core.ask('close');
  });

  it('is opened again after the master was replaced by one with the same version of the link', async () => {
    const master = await fixture.newMaster();
    const core = await fixture.coreOf(master);
    for (const number of [0, 1]) {
      const link = await master.connection(number);
      link.send({
        type: 'refused',
        why: 'version',
        message: 'The plugin uses version 1, the master version 2.',
      });
      await link.closed;
    }
    const again = await master.welcomed(2);
    expect(await again.receive('players', ({ done }) => done)).toMatchObject({ done: true });
    expect(core.happened({ event: 'log', whom: 'WARNING' })).toMatchObject([
      { text: expect.stringContaining('The plugin uses version 1') as string },
    ]);
    await core.ask('close');
  });

  it('sends messages about joins together, at intervals of at least 20 ms', async () => {
    const { core, link } = await fixture.linked(20, [backendOf('lobby-1')]);
    const players = Array.from({ length: 20 }, (_, number) => playerNumber(number + 1));
    for (const player of players) expect(await core.login(player)).toMatchObject({ allowed: true });
    const begun = performance.now();
    // One join every 3 ms, so that several of them happen within one interval.
    await Promise.all(players.map((player, number) => delay(3 * number).then(() => core.join(player))));
    await waitFor(() => link.all('switched').length === players.length);
    const intervals = Math.ceil((performance.now() - begun) / 20);
    const messages = [...link.all('joined'), ...link.all('switched')];
    expect(messages).toHaveLength(2 * players.length);
    // The plugin sends one record per interval. It sends one more record earlier, because the proxy becomes in use.
    const records = new Set(messages.map((message) => link.pieceOf(message)));
    expect(records.size).toBeLessThanOrEqual(intervals + 1);
    await core.ask('close');
  });

  it('sends an event at once after a period without events', async () => {
    const { core, link } = await fixture.linked(10, [backendOf('lobby-1')]);
    await core.come(anna);
    await link.receive('switched');
    // Without events, the writer thread waits for up to 5 s, and sends a heartbeat each second.
    const pongs = (): number => link.all('pong').length;
    const before = pongs();
    await waitFor(() => pongs() >= before + 7);
    await core.come(playerNumber(2));
    const { uuid } = playerNumber(2);
    await link.receive('switched', (message) => message.uuid === uuid);
    await core.ask('close');
  });

  it('sends a message that needs an answer at once, and keeps messages in order', async () => {
    const { core, link } = await fixture.linked(1, [backendOf('lobby-1')]);
    await core.come(anna);
    const waits = core.login(playerNumber(2));
    const more = await link.receive('more');
    const types = link.received.map(({ type }) => type).filter((type) => type !== 'pong');
    expect(types.slice(-3)).toEqual(['joined', 'switched', 'more']);
    await allow(link, { allowance: 2, answers: more.id });
    expect(await waits).toEqual({ allowed: true, message: '' });
    await core.ask('close');
  });

  it('is opened again with the full list of players if too many events are waiting to be sent', async () => {
    const { core, master, link } = await fixture.linked(10);
    await core.come(anna);
    await link.receive('joined');
    link.stopReading();
    // The master does not read, so 40,000 messages fill all buffers on the way.
    await core.ask('storm', { players: 20_000 });
    const again = await master.welcomed(1);
    expect((await again.receive('players', ({ done }) => done)).players.map(({ name }) => name)).toEqual([
      anna.name,
    ]);
    await core.ask('close');
  });
});
