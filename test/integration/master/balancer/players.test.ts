import { describe, expect, it } from 'vitest';
import { join, player } from '#test/support/haproxy/client.ts';
import { testProxy } from '#test/support/haproxy/proxy.ts';
import { adoptedStage, HAPROXY } from '#test/support/haproxy/stage.ts';
import { waitFor } from '#test/support/wait-for.ts';

describe.skipIf(HAPROXY === null)('players through a real HAProxy', () => {
  it('sends them to a proxy, with their own address in a PROXY header', async () => {
    const { stage, balancer } = await adoptedStage();
    const one = await testProxy('lobby-1');
    balancer.want([one.entry()]);
    await waitFor(async () => (await stage.servers()).includes('lobby-1 ready'));
    const client = await player(stage.port);
    expect(client.proxy).toBe('lobby-1');
    await client.echo('ping');
    expect(one.told).toContain('127.0.0.1');
    await waitFor(() => balancer.view.entries[0]?.connections === 1);
    expect(balancer.view).toMatchObject({
      state: 'working',
      error: null,
      addresses: [{ host: '127.0.0.1', port: stage.port }],
      entries: [{ service: 'lobby-1', state: 'open' }],
    });
    expect(balancer.sendsProxyProtocol).toBe(true);
  });

  it('lets those on a drained proxy stay, and sends nobody there any more', async () => {
    const { stage, balancer } = await adoptedStage();
    const [one, two] = [await testProxy('lobby-1'), await testProxy('lobby-2')];
    balancer.want([one.entry()]);
    await waitFor(async () => (await stage.servers()).length === 1);
    const first = await player(stage.port);
    balancer.want([one.entry({ open: false }), two.entry()]);
    await balancer.closed('lobby-1', 2_000);
    expect(await stage.servers()).toEqual(['lobby-1 drain', 'lobby-2 ready']);
    for (let i = 0; i < 5; i += 1) expect((await player(stage.port)).proxy).toBe('lobby-2');
    await first.echo('still here');
    balancer.want([two.entry()]);
    await waitFor(async () => !(await stage.read()).includes('lobby-1'));
    await first.echo('and still');
    expect(await stage.servers()).toEqual(['lobby-1 drain', 'lobby-2 ready']);
    first.leave();
    await waitFor(async () => (await stage.servers()).join() === 'lobby-2 ready');
  });

  it('serves proxies with and without a PROXY header side by side, and pings each in its own way', async () => {
    const { stage, balancer } = await adoptedStage();
    const [plain, headed] = [await testProxy('lobby-1', false), await testProxy('lobby-2', true)];
    balancer.want([plain.entry(), headed.entry()]);
    await waitFor(() => plain.pings > 0 && headed.pings > 0, { timeoutMs: 15_000 });
    const names = [await player(stage.port), await player(stage.port)].map(({ proxy }) => proxy);
    expect(names.sort()).toEqual(['lobby-1', 'lobby-2']);
    expect([plain.resets, headed.resets]).toEqual([0, 0]);
    expect(balancer.view.entries.map(({ state }) => state)).toEqual(['open', 'open']);
  });

  it('ends the connections of a proxy that dies at once, and sends new players elsewhere before anybody tells', async () => {
    const { stage, balancer } = await adoptedStage();
    const [one, two] = [await testProxy('lobby-1'), await testProxy('lobby-2')];
    balancer.want([one.entry(), two.entry()]);
    await waitFor(async () => (await stage.servers()).length === 2);
    const clients = [await player(stage.port), await player(stage.port)];
    const onOne = clients.find(({ proxy }) => proxy === 'lobby-1');
    const died = performance.now();
    await one.die();
    await onOne?.ended;
    expect(performance.now() - died).toBeLessThan(1_000);
    for (let i = 0; i < 6; i += 1) expect((await player(stage.port)).proxy).toBe('lobby-2');
  });

  it('ends the connections of a proxy that is wanted no more and answers nothing', async () => {
    const { stage, balancer } = await adoptedStage();
    stage.addition = 'send-proxy inter 200ms fastinter 200ms';
    const one = await testProxy('lobby-1');
    balancer.want([one.entry()]);
    await waitFor(async () => (await stage.read()).includes('fastinter 200ms'));
    await waitFor(async () => (await stage.servers()).length === 1);
    const client = await player(stage.port);
    // As if its machine were gone: nothing is refused, nothing is answered.
    one.isSilent = true;
    balancer.want([]);
    await waitFor(() => client.isEnded, { timeoutMs: 30_000 });
  }, 60_000);

  it('closes the door when no proxy is open, and opens it again', async () => {
    const { stage, balancer } = await adoptedStage();
    const one = await testProxy('lobby-1');
    balancer.want([one.entry({ open: false })]);
    await balancer.closed('lobby-1', 2_000);
    await expect(join(stage.port)).rejects.toThrow();
    balancer.want([one.entry()]);
    await waitFor(async () => (await stage.servers()).includes('lobby-1 ready'));
    expect((await player(stage.port)).proxy).toBe('lobby-1');
  });
});
