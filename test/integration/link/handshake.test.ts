import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { LinkClient } from '#test/support/link-client.ts';
import { backend, openLinkStage, services, type LinkStage } from '#test/support/link-stage.ts';
import { waitFor } from '#test/support/wait-for.ts';

let stage: LinkStage;

afterEach(() => stage.link.close());

describe('a plugin that connects', () => {
  it('is welcome with its token, and learns the network', async () => {
    stage = await openLinkStage();
    stage.link.setNetwork({ limit: 40, backends: [backend('lobby-1')], services: services('proxy-1') });
    const client = await LinkClient.link(stage.link.handOver('proxy-1'));
    expect(await client.next('network')).toMatchObject({ online: 0, limit: 40 });
    expect(await client.next('backends')).toEqual({
      ...{ type: 'backends', reset: true, put: [backend('lobby-1')], gone: [], done: true },
    });
    expect(await client.next('allow')).toMatchObject({ allowance: 40 });
    expect(stage.link.state).toMatchObject({ plugins: 1, error: null });
    expect(stage.link.heard('proxy-1')?.plugin).toMatchObject({ state: 'linked', platform: 'velocity' });
    client.close();
    await waitFor(() => stage.link.heard('proxy-1')?.plugin.state === 'silent');
    expect(stage.link.state.plugins).toBe(0);
  });

  it('does not talk to another master: the fingerprint is wrong', async () => {
    stage = await openLinkStage();
    stage.link.setNetwork({ limit: 40, backends: [], services: services('proxy-1') });
    const handOver = { ...stage.link.handOver('proxy-1'), fingerprint: '0'.repeat(64) };
    await expect(LinkClient.connect(handOver)).rejects.toThrow('fingerprint');
  });

  it.each([
    ['a token of another service', { service: 'proxy-2' }, 'token'],
    ['no token', { token: '' }, 'token'],
    ['a token cut short', { token: 'abcdef' }, 'token'],
    ['another version', { version: 99 }, 'version'],
  ] as const)('is refused with %s', async (_, change, why) => {
    stage = await openLinkStage();
    stage.link.setNetwork({ limit: 40, backends: [], services: services('proxy-1', 'proxy-2') });
    const client = await LinkClient.connect({ ...stage.link.handOver('proxy-1'), ...change });
    expect(await client.next('refused')).toMatchObject({ why });
    await client.closed();
    expect(client.messages).toHaveLength(1);
    expect(stage.link.state.plugins).toBe(0);
  });

  it('is told to come again before the master knows its services, and that it is gone afterwards', async () => {
    stage = await openLinkStage();
    const early = await LinkClient.connect(stage.link.handOver('proxy-1'));
    expect(await early.next('refused')).toMatchObject({ why: 'starting' });
    stage.link.setNetwork({ limit: 40, backends: [], services: services('proxy-1') });
    stage.link.setNetwork({ limit: 40, backends: [], services: services('proxy-2') });
    const gone = await LinkClient.connect(stage.link.handOver('proxy-1'));
    expect(await gone.next('refused')).toMatchObject({ why: 'token' });
    // Control may tell of a new service a moment after it has started.
    const young = await LinkClient.connect(stage.link.handOver('proxy-3'));
    expect(await young.next('refused')).toMatchObject({ why: 'starting' });
  });

  it('takes the place of its older connection', async () => {
    stage = await openLinkStage();
    stage.link.setNetwork({ limit: 40, backends: [], services: services('proxy-1') });
    const older = await LinkClient.link(stage.link.handOver('proxy-1'));
    // Somebody who does not know the token takes nobody's place.
    const stranger = await LinkClient.connect({ ...stage.link.handOver('proxy-1'), token: 'x' });
    await stranger.closed();
    expect(older.isClosed).toBe(false);
    const newer = await LinkClient.link(stage.link.handOver('proxy-1'));
    await older.closed();
    expect(newer.isClosed).toBe(false);
    expect(stage.link.state.plugins).toBe(1);
  });

  it('is cut when its service is gone', async () => {
    stage = await openLinkStage();
    stage.link.setNetwork({ limit: 40, backends: [], services: services('proxy-1') });
    const client = await LinkClient.link(stage.link.handOver('proxy-1'));
    stage.link.setNetwork({ limit: 40, backends: [], services: [] });
    await client.closed();
    expect(stage.link.heard('proxy-1')).toBeNull();
  });
});

describe('heartbeats', () => {
  it('keep a plugin that answers, and end one that does not', async () => {
    stage = await openLinkStage({ timing: { heartbeatMs: 50, silentAfterMs: 400 } });
    stage.link.setNetwork({ limit: 40, backends: [], services: services('proxy-1', 'proxy-2') });
    const live = await LinkClient.link(stage.link.handOver('proxy-1'));
    const mute = await LinkClient.link({ ...stage.link.handOver('proxy-2'), answersPings: false });
    expect(await live.next('welcome')).toMatchObject({ heartbeatMs: 50, silentAfterMs: 400 });
    await mute.closed();
    await waitFor(() => live.all('ping').length > 20);
    expect(live.isClosed).toBe(false);
    expect(stage.link.heard('proxy-2')?.plugin.state).toBe('silent');
  });
});

describe('where it listens', () => {
  it('is the same after a restart, with the same certificate and tokens', async () => {
    stage = await openLinkStage();
    const before = stage.link.handOver('proxy-1');
    await stage.restart();
    expect(stage.link.handOver('proxy-1')).toEqual(before);
    const path = join(stage.root, 'config', 'link.json');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).toContain('PRIVATE KEY');
  });

  it('must be an address of this machine, which is said and ends nothing', async () => {
    stage = await openLinkStage({ hostname: '203.0.113.77' });
    expect(stage.link.state).toMatchObject({ listening: null, error: { code: 'LINK_ADDRESS_FOREIGN' } });
  });

  it('is waited for when another program uses the port', async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port));
    });
    stage = await openLinkStage({ port, timing: { retryMs: 50 } });
    expect(stage.link.state).toMatchObject({ listening: null, error: { code: 'LINK_LISTEN_FAILED' } });
    other.close();
    await waitFor(() => stage.link.state.listening?.port === port);
    expect(stage.link.state.error).toBeNull();
  });

  it('may be all addresses: services are told one that they can reach', async () => {
    stage = await openLinkStage({ hostname: '0.0.0.0' });
    const { host } = stage.link.handOver('proxy-1');
    expect(host).not.toBe('0.0.0.0');
    stage.link.setNetwork({ limit: 1, backends: [], services: services('proxy-1') });
    await LinkClient.link(stage.link.handOver('proxy-1'));
  });
});
