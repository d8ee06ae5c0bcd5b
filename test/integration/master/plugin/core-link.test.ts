import { describe, expect, it } from 'vitest';
import { playerNumber, writeHandOver } from '#test/support/link/plugin-driver.ts';
import { allow, PluginFixture } from '#test/support/link/plugin-fixture.ts';
import { backendOf } from '#test/support/master/scripted-master.ts';
import { waitFor } from '#test/support/wait-for.ts';

const fixture = new PluginFixture();
const anna = playerNumber(1);

describe.concurrent('plugin link of the core', () => {
  it('introduces itself according to the contract over TLS 1.3', async () => {
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

  it('accepts TLS 1.2', async () => {
    const master = await fixture.newMaster();
    await master.close();
    await master.listen('TLSv1.2');
    const core = await fixture.coreOf(master);
    expect((await master.connection()).protocol).toBe('TLSv1.2');
    await core.ask('close');
  });

  it('sends nothing to a server with another certificate', async () => {
    const [master, other] = [await fixture.newMaster(), await fixture.newMaster()];
    const core = await fixture.driver.core('pinned', { ...master.handOver('proxy-1'), port: other.port });
    const log = await core.happens({ event: 'log', whom: 'WARNING' });
    expect(log.text).toContain("another certificate than the master's");
    expect(other.connections).toEqual([]);
    await core.ask('close');
  });

  it('does nothing without a hand-over file and logs that once', async () => {
    const core = await fixture.driver.core('foreign', null);
    expect(await core.login(anna)).toEqual({ allowed: true, message: '' });
    expect(await core.join(anna)).toBeNull();
    expect(await core.switch(anna, 'anywhere')).toEqual({ allowed: true, message: '' });
    expect(await core.numbers()).toEqual({ active: false, known: false, online: 0, limit: 0, servers: [] });
    expect(core.happened({ event: 'log' }).map(({ text }) => text)).toEqual([
      'There is no overworld-link.properties here, so this proxy was not started by Overworld: its plugin does nothing.',
    ]);
  });

  it('sends a heartbeat each second on request, and responds to a ping', async () => {
    const { core, link } = await fixture.linked(1);
    await waitFor(() => link.all('pong').length >= 2, { what: 'two heartbeats' });
    const before = link.all('pong').length;
    for (let i = 0; i < 5; i++) link.tell({ type: 'ping' });
    // Heartbeats alone would be four at most in this time.
    await waitFor(() => link.all('pong').length >= before + 5, { what: 'five answers', timeoutMs: 3_900 });
    await core.ask('close');
  });

  it('closes the connection to a silent master and reconnects', async () => {
    const master = await fixture.newMaster();
    const core = await fixture.coreOf(master);
    const link = await master.welcomed(0, true);
    await allow(link, { allowance: 3 });
    await link.closed;
    const again = await master.connection(1);
    expect(again.all('hello')[0]?.allowance).toBe(3);
    await core.ask('close');
  });

  it('reconnects after garbage and keeps its data', async () => {
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
      await link.hears('players');
      link.raw(text);
      await link.closed;
    }
    const last = await master.welcomed(garbage.length);
    // Players who join before that are in this list and not reported again.
    await last.hears('players');
    expect(last.all('hello')[0]?.allowance).toBe(2);
    expect(await core.come(anna)).toEqual({ allowed: true, message: '' });
    expect((await last.hears('switched')).server).toBe('lobby-1');
    await core.ask('close');
  });

  it("reconnects at growing intervals while it cannot read the master's messages, however late they come", async () => {
    const { core, master } = await fixture.linked(2, [backendOf('lobby-1')]);
    const pauses: number[] = [];
    for (let number = 0; number < 3; number++) {
      const link = await master.welcomed(number);
      await link.hears('players');
      // A connection of 5 s counts as successful if it ends in another way; then the pause would start again.
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

  it('reports at the start that it is not in use, which clears the state of an earlier plugin process', async () => {
    const { core, link } = await fixture.linked(1);
    expect(await link.hears('in-use')).toMatchObject({ inUse: false });
    await core.ask('close');
  });

  it('ignores unknown messages of a newer master', async () => {
    const { core, link } = await fixture.linked(1);
    link.raw(`${JSON.stringify({ type: 'weather', rain: true })}\n`);
    expect(await allow(link, { allowance: 4 })).toEqual({ allowance: 4, used: 0 });
    await core.ask('close');
  });

  it('stays disconnected after a refusal until its hand-over file changes', async () => {
    const master = await fixture.newMaster();
    const core = await fixture.coreOf(master);
    const first = await master.connection();
    first.tell({ type: 'refused', why: 'token', message: 'proxy-1 is no longer a service of this network.' });
    expect((await core.happens({ event: 'log', whom: 'WARNING' })).text).toContain(
      'no longer a service of this network',
    );
    const other = await fixture.newMaster();
    await writeHandOver(core.folder, other.handOver('proxy-1'));
    await other.welcomed();
    expect(master.connections).toHaveLength(1);
    await core.ask('close');
  });

  it('reconnects automatically while the master is starting', async () => {
    const master = await fixture.newMaster();
    const core = await fixture.coreOf(master);
    (await master.connection()).tell({
      type: 'refused',
      why: 'starting',
      message: 'The master is starting.',
    });
    const again = await master.welcomed(1);
    expect(await again.hears('players', ({ done }) => done)).toMatchObject({ done: true });
    expect(master.connections).toHaveLength(2);
    await core.ask('close');
  });

  it('sends the messages of one join together', async () => {
    const { core, link } = await fixture.linked(10, [backendOf('lobby-1')]);
    const players = Array.from({ length: 10 }, (_, number) => playerNumber(number + 1));
    for (const player of players) {
      await core.come(player);
      await link.hears('switched', ({ uuid }) => uuid === player.uuid);
    }
    const together = players.filter(({ uuid }) => {
      const joined = link.all('joined').find(({ player }) => player.uuid === uuid);
      const switched = link.all('switched').find((message) => message.uuid === uuid);
      return joined && switched && link.pieceOf(joined) === link.pieceOf(switched);
    });
    // A machine that pauses the proxy for 20 ms may separate some of them.
    expect(together.length).toBeGreaterThanOrEqual(8);
    await core.ask('close');
  });

  it('wakes up for an event after a long silence', async () => {
    const { core, link } = await fixture.linked(10, [backendOf('lobby-1')]);
    await core.come(anna);
    await link.hears('switched');
    // The writer polls for 5 s and sends a heartbeat each second while nothing happens.
    const pongs = (): number => link.all('pong').length;
    const before = pongs();
    await waitFor(() => pongs() >= before + 7, { timeoutMs: 15_000 });
    await core.come(playerNumber(2));
    const { uuid } = playerNumber(2);
    await link.hears('switched', (message) => message.uuid === uuid);
    await core.ask('close');
  });

  it('sends messages that need a response immediately, and keeps the order', async () => {
    const { core, link } = await fixture.linked(1, [backendOf('lobby-1')]);
    await core.come(anna);
    const waits = core.login(playerNumber(2));
    const more = await link.hears('more');
    const types = link.said.map(({ type }) => type).filter((type) => type !== 'pong');
    expect(types.slice(-3)).toEqual(['joined', 'switched', 'more']);
    await allow(link, { allowance: 2, answers: more.id });
    expect(await waits).toEqual({ allowed: true, message: '' });
    await core.ask('close');
  });

  it('recovers with the full list after more events than can be sent', async () => {
    const { core, master, link } = await fixture.linked(10);
    await core.come(anna);
    await link.hears('joined');
    link.stopReading();
    // A master that reads nothing: 40,000 messages fill all buffers between the two.
    await core.ask('storm', { players: 20_000 });
    const again = await master.welcomed(1);
    expect((await again.hears('players', ({ done }) => done)).players.map(({ name }) => name)).toEqual([
      anna.name,
    ]);
    await core.ask('close');
  });
});
