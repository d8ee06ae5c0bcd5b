import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Platform } from '#shared/link/messages.ts';
import type { LinkedService, PluginLinkEvent } from '#master/link/link.ts';
import { LinkClient } from '#test/support/link/link-client.ts';
import { backend, openLinkFixture, services, type LinkFixture } from '#test/support/link/link-fixture.ts';
import { waitFor } from '#test/support/wait-for.ts';

let fixture: LinkFixture;

afterEach(() => fixture.link.close());

describe('a plugin that connects to the master', () => {
  it('is accepted with its token, and receives the state of the network', async () => {
    fixture = await openLinkFixture();
    fixture.link.setNetwork({ limit: 40, backends: [backend('lobby-1')], services: services('proxy-1') });
    const client = await LinkClient.link(fixture.link.handOver('proxy-1'));
    expect(await client.next('network')).toMatchObject({ online: 0, limit: 40 });
    expect(await client.next('backends')).toEqual({
      ...{ type: 'backends', reset: true, put: [backend('lobby-1')], gone: [], done: true },
    });
    expect(await client.next('allow')).toMatchObject({ allowance: 40 });
    expect(fixture.link.state).toMatchObject({ plugins: 1, error: null });
    expect(fixture.link.reportOf('proxy-1')?.plugin).toMatchObject({ state: 'linked', platform: 'velocity' });
    client.close();
    await waitFor(() => fixture.link.reportOf('proxy-1')?.plugin.state === 'silent');
    expect(fixture.link.state.plugins).toBe(0);
  });

  it('sends nothing to a master with a wrong fingerprint', async () => {
    fixture = await openLinkFixture();
    fixture.link.setNetwork({ limit: 40, backends: [], services: services('proxy-1') });
    const handOver = { ...fixture.link.handOver('proxy-1'), fingerprint: '0'.repeat(64) };
    await expect(LinkClient.connect(handOver)).rejects.toThrow('fingerprint');
  });

  it.each([
    ['a token of another service', { service: 'proxy-2' }, 'token'],
    ['no token', { token: '' }, 'token'],
    ['a truncated token', { token: 'abcdef' }, 'token'],
    ['another version', { version: 99 }, 'version'],
  ] as const)('is rejected with %s', async (_, change, why) => {
    fixture = await openLinkFixture();
    fixture.link.setNetwork({ limit: 40, backends: [], services: services('proxy-1', 'proxy-2') });
    const client = await LinkClient.connect({ ...fixture.link.handOver('proxy-1'), ...change });
    expect(await client.next('refused')).toMatchObject({ why });
    await client.closed();
    expect(client.messages).toHaveLength(1);
    expect(fixture.link.state.plugins).toBe(0);
  });

  it('is rejected if it uses another version of the link, and the master reports this once with advice', async () => {
    fixture = await openLinkFixture();
    const told: PluginLinkEvent[] = [];
    fixture.link.on((event) => told.push(event));
    fixture.link.setNetwork({ limit: 40, backends: [], services: services('proxy-1') });
    for (let count = 0; count < 2; count++) {
      const client = await LinkClient.connect({ ...fixture.link.handOver('proxy-1'), version: 99 });
      expect((await client.next('refused')).message).toContain('The plugin in proxy-1 uses version 99');
      await client.closed();
    }
    expect(told).toMatchObject([
      { kind: 'doubted', service: 'proxy-1', cause: expect.stringContaining('restart it') as string },
    ]);
  });

  it('stays connected if it sends unknown keys and messages', async () => {
    fixture = await openLinkFixture();
    fixture.link.setNetwork({ limit: 40, backends: [], services: services('proxy-1') });
    const client = await LinkClient.link(fixture.link.handOver('proxy-1'));
    client.write('{"type":"latency","uuid":"none","ms":12}\n');
    client.write('{"type":"in-use","inUse":true,"why":"a match","since":5}\n');
    await waitFor(() => fixture.link.reportOf('proxy-1')?.inUse?.why === 'a match');
    expect(client.isClosed).toBe(false);
  });

  it.each<[says: Platform, is: Partial<LinkedService>]>([
    ['velocity', { isProxy: false }],
    ['bungeecord', { isProxy: false }],
    ['practice', { isProxy: false }],
    // The service's template still has the default `isProxy`.
    ['velocity', { family: 'paper' }],
    ['bungeecord', { family: 'bukkit' }],
    ['velocity', { family: 'bungeecord' }],
    ['bukkit', { family: 'velocity' }],
  ])('is rejected as %s if its service runs other software: %o', async (platform, is) => {
    fixture = await openLinkFixture();
    const told: PluginLinkEvent[] = [];
    fixture.link.on((event) => told.push(event));
    const service: LinkedService = { id: 'x-1', isProxy: true, family: 'other', pinged: null, ...is };
    fixture.link.setNetwork({ limit: 40, backends: [], services: [service] });
    for (let count = 0; count < 2; count++) {
      const client = await LinkClient.connect({ ...fixture.link.handOver('x-1'), platform });
      const { why, message } = await client.next('refused');
      expect(why).toBe('platform');
      expect(message).toContain(`reports that it runs on '${platform}', but x-1 is`);
      await client.closed();
    }
    expect(fixture.link.reportOf('x-1')).toBeNull();
    expect(told).toMatchObject([{ kind: 'doubted', service: 'x-1' }]);
    expect(fixture.logged().match(/that does not match its service/g)).toHaveLength(1);
  });

  it.each<[says: Platform, is: Partial<LinkedService>]>([
    ['velocity', { family: 'velocity' }],
    ['bungeecord', { family: 'bungeecord' }],
    ['practice', { family: 'bungeecord' }],
    ['velocity', { family: 'other' }],
    ['bukkit', { isProxy: false, family: 'paper' }],
    ['bukkit', { isProxy: true, family: 'bukkit' }],
  ])('is accepted as %s if its service may run this software: %o', async (platform, is) => {
    fixture = await openLinkFixture();
    const service: LinkedService = { id: 'x-1', isProxy: true, family: 'other', pinged: null, ...is };
    fixture.link.setNetwork({ limit: 40, backends: [], services: [service] });
    const client = await LinkClient.link({ ...fixture.link.handOver('x-1'), platform });
    expect(client.messages[0]).toMatchObject({ type: 'welcome' });
    expect(fixture.link.reportOf('x-1')).not.toBeNull();
  });

  it('is disconnected when the master learns that its service runs other software', async () => {
    fixture = await openLinkFixture();
    const service: LinkedService = { id: 'x-1', isProxy: true, family: 'other', pinged: null };
    fixture.link.setNetwork({ limit: 40, backends: [], services: [service] });
    const client = await LinkClient.link({ ...fixture.link.handOver('x-1'), platform: 'velocity' });
    fixture.link.setNetwork({ limit: 40, backends: [], services: [{ ...service, family: 'paper' }] });
    await client.closed();
    const again = await LinkClient.connect({ ...fixture.link.handOver('x-1'), platform: 'velocity' });
    expect((await again.next('refused')).why).toBe('platform');
  });

  it('is told to try again if the master does not know its service yet', async () => {
    fixture = await openLinkFixture();
    const early = await LinkClient.connect(fixture.link.handOver('proxy-1'));
    expect(await early.next('refused')).toMatchObject({ why: 'starting' });
    fixture.link.setNetwork({ limit: 40, backends: [], services: services('proxy-1') });
    fixture.link.setNetwork({ limit: 40, backends: [], services: services('proxy-2') });
    const gone = await LinkClient.connect(fixture.link.handOver('proxy-1'));
    expect(await gone.next('refused')).toMatchObject({ why: 'token' });
    // A new service may connect before the link knows the service.
    const young = await LinkClient.connect(fixture.link.handOver('proxy-3'));
    expect(await young.next('refused')).toMatchObject({ why: 'starting' });
  });

  it('replaces its own older connection', async () => {
    fixture = await openLinkFixture();
    fixture.link.setNetwork({ limit: 40, backends: [], services: services('proxy-1') });
    const older = await LinkClient.link(fixture.link.handOver('proxy-1'));
    // A client with a wrong token does not replace the connection.
    const stranger = await LinkClient.connect({ ...fixture.link.handOver('proxy-1'), token: 'x' });
    await stranger.closed();
    expect(older.isClosed).toBe(false);
    const newer = await LinkClient.link(fixture.link.handOver('proxy-1'));
    await older.closed();
    expect(newer.isClosed).toBe(false);
    expect(fixture.link.state.plugins).toBe(1);
  });

  it('is disconnected when its service has exited', async () => {
    fixture = await openLinkFixture();
    fixture.link.setNetwork({ limit: 40, backends: [], services: services('proxy-1') });
    const client = await LinkClient.link(fixture.link.handOver('proxy-1'));
    fixture.link.setNetwork({ limit: 40, backends: [], services: [] });
    await client.closed();
    expect(fixture.link.reportOf('proxy-1')).toBeNull();
  });
});

describe('the heartbeats of the plugin link', () => {
  it('end the connection of a plugin only if the plugin does not answer them', async () => {
    fixture = await openLinkFixture({ timing: { heartbeatMs: 50, silentAfterMs: 400 } });
    fixture.link.setNetwork({ limit: 40, backends: [], services: services('proxy-1', 'proxy-2') });
    const live = await LinkClient.link(fixture.link.handOver('proxy-1'));
    const mute = await LinkClient.link({ ...fixture.link.handOver('proxy-2'), answersPings: false });
    expect(await live.next('welcome')).toMatchObject({ heartbeatMs: 50, silentAfterMs: 400 });
    await mute.closed();
    await waitFor(() => live.all('ping').length > 20);
    expect(live.isClosed).toBe(false);
    expect(fixture.link.reportOf('proxy-2')?.plugin.state).toBe('silent');
  });
});

describe('the address of the plugin link', () => {
  it('is the same after a restart, as are the certificate and the tokens', async () => {
    fixture = await openLinkFixture();
    const before = fixture.link.handOver('proxy-1');
    await fixture.restart();
    expect(fixture.link.handOver('proxy-1')).toEqual(before);
    const path = join(fixture.root, 'config', 'link.json');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).toContain('PRIVATE KEY');
  });

  it('is reported if the machine does not have it, and the master continues without plugins', async () => {
    fixture = await openLinkFixture({ hostname: '203.0.113.77' });
    expect(fixture.link.state).toMatchObject({ listening: null, error: { code: 'LINK_ADDRESS_FOREIGN' } });
  });

  it('is tried again while another program uses the port', async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port));
    });
    fixture = await openLinkFixture({ port, timing: { retryMs: 50 } });
    expect(fixture.link.state).toMatchObject({ listening: null, error: { code: 'LINK_LISTEN_FAILED' } });
    expect(fixture.link.state.error?.message).toContain(`(process ${process.pid}) uses this port`);
    expect(await fixture.link.findFreePort()).toBeGreaterThan(port);
    other.close();
    await waitFor(() => fixture.link.state.listening?.port === port);
    expect(fixture.link.state.error).toBeNull();
  });

  it('can be a wildcard, and services then get an address that they can reach', async () => {
    fixture = await openLinkFixture({ hostname: '0.0.0.0' });
    const { host } = fixture.link.handOver('proxy-1');
    expect(host).not.toBe('0.0.0.0');
    fixture.link.setNetwork({ limit: 1, backends: [], services: services('proxy-1') });
    await LinkClient.link(fixture.link.handOver('proxy-1'));
  });
});
