import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { renderSection } from '#master/balancer/config/frontend-and-backend.ts';
import { withSection } from '#master/balancer/config/marked-part.ts';
import { join as joinAs, player } from '#test/support/haproxy/client.ts';
import { DEBIAN_STOCK } from '#test/support/haproxy/debian.ts';
import { testProxy, TestProxy } from '#test/support/haproxy/proxy.ts';
import { adoptedFixture, freePort, HAPROXY, haproxyFixture } from '#test/support/haproxy/haproxy-fixture.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

describe.skipIf(HAPROXY === null)('players who join through a real HAProxy', () => {
  it('keep their IP address, which HAProxy sends to the proxy in a PROXY header', async () => {
    const { fixture, balancer } = await adoptedFixture();
    const one = await testProxy('lobby-1');
    balancer.want([one.entry()]);
    await waitFor(async () => (await fixture.servers()).includes('lobby-1 ready'));
    const client = await player(fixture.port);
    expect(client.proxy).toBe('lobby-1');
    await client.echo('ping');
    expect(one.told).toContain('127.0.0.1');
    await waitFor(() => balancer.view.entries[0]?.connections === 1);
    expect(balancer.view).toMatchObject({
      state: 'working',
      error: null,
      addresses: [{ host: '127.0.0.1', port: fixture.port }],
      entries: [{ service: 'lobby-1', state: 'open' }],
    });
    expect(balancer.sendsProxyProtocol).toBe(true);
    // Idle players stay connected for a day, not for the 50 s of the default configuration.
    const sessions = (await fixture.ask('show sess'))
      .split('\n')
      .filter((line) => line.includes('srv=lobby-1'));
    expect(sessions).toHaveLength(1);
    // Expects the timeout on both sides. HAProxy 3 calls it `rex` and lists it for each side.
    expect([...(sessions[0] ?? '').matchAll(/ \w+=?\[[^\]]*re?x=(1d|23h59m)/g)]).toHaveLength(2);
  });

  it('stay connected while idle, even if other sections of the admin have shorter timeouts', async () => {
    const one = await testProxy('lobby-1');
    const fixture = await haproxyFixture();
    const port = await freePort();
    const text = (await fixture.read()).replace(/(timeout (client|server)) +50000/g, '$1 1000');
    const other = `listen other\n\tmode tcp\n\tbind 127.0.0.1:${port}\n\tserver a 127.0.0.1:${one.entry().port} send-proxy\n`;
    await fixture.write(`${text}\n${other}`);
    await fixture.start();
    const balancer = await fixture.open();
    await balancer.adopt();
    balancer.want([one.entry()]);
    await waitFor(async () => (await fixture.servers()).includes('lobby-1 ready'));
    const client = await player(fixture.port);
    const since = performance.now();
    for (let i = 0; i < 3; i += 1) await (await player(port)).ended;
    expect(performance.now() - since).toBeGreaterThan(2_900);
    expect(client.isEnded).toBe(false);
    await expect(client.echo('still here')).resolves.toBeUndefined();
  });

  it('stay on a draining proxy, while new players get another proxy', async () => {
    const { fixture, balancer } = await adoptedFixture();
    const [one, two] = [await testProxy('lobby-1'), await testProxy('lobby-2')];
    balancer.want([one.entry()]);
    await waitFor(async () => (await fixture.readyServers()).length === 1);
    const first = await player(fixture.port);
    balancer.want([one.entry({ open: false }), two.entry()]);
    await balancer.closed('lobby-1', 10_000);
    // A proxy is drained before other changes are made, so the other proxy may become ready a moment later.
    await waitFor(async () => (await fixture.servers()).join() === 'lobby-1 drain,lobby-2 ready');
    for (let i = 0; i < 5; i += 1) expect((await player(fixture.port)).proxy).toBe('lobby-2');
    await first.echo('still here');
    balancer.want([two.entry()]);
    await waitFor(async () => !(await fixture.read()).includes('lobby-1'));
    await first.echo('and still');
    expect(await fixture.servers()).toEqual(['lobby-1 drain', 'lobby-2 ready']);
    first.leave();
    await waitFor(async () => (await fixture.servers()).join() === 'lobby-2 ready');
  });

  it('are never sent to a closed proxy, even while HAProxy checks its file for several seconds', async () => {
    const { fixture, balancer: first } = await adoptedFixture();
    await first.close();
    const slow = join(fixture.folder, 'slow-haproxy');
    await writeFile(slow, `#!/bin/sh\nsleep 3\nexec ${HAPROXY} "$@"\n`, { mode: 0o755 });
    const balancer = await fixture.open({ findProgram: () => Promise.resolve(slow) });
    const [one, two] = [await testProxy('lobby-1'), await testProxy('lobby-2')];
    balancer.want([one.entry(), two.entry()]);
    await waitFor(async () => (await fixture.readyServers()).length === 2);
    const before = performance.now();
    balancer.want([one.entry({ open: false }), two.entry()]);
    await balancer.closed('lobby-1', 2_000);
    // The proxy was closed in time, without waiting for the check of the file.
    expect(performance.now() - before).toBeLessThan(2_000);
    expect(await fixture.servers()).toEqual(['lobby-1 drain', 'lobby-2 ready']);
    await waitFor(async () => /lobby-1 \S+ disabled/.test(await fixture.read()));
    expect(await fixture.servers()).toEqual(['lobby-1 drain', 'lobby-2 ready']);
  });

  it('can use proxies with PROXY headers and proxies without them at the same time', async () => {
    const { fixture, balancer } = await adoptedFixture();
    const [plain, headed] = [await testProxy('lobby-1', false), await testProxy('lobby-2', true)];
    // With this fill level, one player is enough to fill a proxy.
    balancer.want([plain.entry({ fillLevel: 1 }), headed.entry({ fillLevel: 1 })]);
    await waitFor(() => plain.pings > 0 && headed.pings > 0);
    const names = [await player(fixture.port), await player(fixture.port)].map(({ proxy }) => proxy);
    expect(names.sort()).toEqual(['lobby-1', 'lobby-2']);
    expect([plain.resets, headed.resets]).toEqual([0, 0]);
    expect(balancer.view.entries.map(({ state }) => state)).toEqual(['open', 'open']);
  });

  it('fill one proxy after another up to the fill level, and then the remaining slots', async () => {
    const { fixture, balancer } = await adoptedFixture();
    const proxies = [await testProxy('lobby-1'), await testProxy('lobby-2'), await testProxy('lobby-3')];
    balancer.want(proxies.map((proxy) => proxy.entry({ maxPlayers: 3, fillLevel: 2 })));
    await waitFor(async () => (await fixture.readyServers()).length === 3);
    await waitFor(async () => (await fixture.limits()).join() === 'lobby-1 2,lobby-2 2,lobby-3 0');
    const first = [await player(fixture.port), await player(fixture.port), await player(fixture.port)];
    expect(first.map(({ proxy }) => proxy)).toEqual(['lobby-1', 'lobby-1', 'lobby-2']);

    for (const client of first.slice(0, 2)) client.leave();
    await waitFor(async () => (await fixture.limits()).join() === 'lobby-2 2,lobby-3 2,lobby-1 0');
    await waitFor(async () =>
      (await fixture.read()).split('\n').some((line) => /lobby-1 .* maxconn 0 /.test(line)),
    );
    const next = [];
    for (let count = 0; count < 5; count += 1) next.push((await player(fixture.port)).proxy);
    expect(next).toEqual(['lobby-2', 'lobby-3', 'lobby-3', 'lobby-1', 'lobby-1']);

    // All proxies have reached their fill level.
    await waitFor(async () => (await fixture.limits()).join() === 'lobby-2 3,lobby-3 3,lobby-1 0');
    const last = [];
    for (let count = 0; count < 4; count += 1) last.push((await player(fixture.port)).proxy);
    expect(last).toEqual(['lobby-2', 'lobby-3', 'lobby-1', 'lobby-1']);
    await first[2]?.echo('still here');
  });

  it('stay connected when a reload replaces the section of an older version of Overworld', async () => {
    const { fixture, balancer: first } = await adoptedFixture();
    const one = await testProxy('lobby-1');
    first.want([one.entry()]);
    await waitFor(async () => (await fixture.read()).includes('server lobby-1 '));
    await first.close();
    const earlier = (await fixture.read())
      .replace('balance first', 'balance leastconn')
      .replace(/(backend overworld\n {4}id) \d+/, '$1 1500000001')
      .replace(/(server lobby-1 \S+) id \d+ maxconn 0/, '$1 id 2100000001');
    await fixture.write(earlier);
    await fixture.master('reload');
    await waitFor(async () => (await fixture.ask('show stat -1 2 -1')).includes(',1500000001,'));
    const client = await player(fixture.port);

    const balancer = await fixture.open();
    const two = await testProxy('lobby-2');
    balancer.want([one.entry({ fillLevel: 1 }), two.entry({ fillLevel: 1 })]);
    await waitFor(async () => (await fixture.limits()).join() === 'lobby-1 1,lobby-2 0');
    expect(await fixture.read()).toContain('balance first');
    await client.echo('still here');
    expect((await player(fixture.port)).proxy).toBe('lobby-1');
    expect((await player(fixture.port)).proxy).toBe('lobby-2');
  });

  it('lose their connection at once if their proxy is killed, and can join through another proxy', async () => {
    const { fixture, balancer } = await adoptedFixture();
    const [one, two] = [await testProxy('lobby-1'), await testProxy('lobby-2')];
    balancer.want([one.entry(), two.entry()]);
    await waitFor(async () => (await fixture.readyServers()).length === 2);
    const clients = [await player(fixture.port), await player(fixture.port)];
    const onOne = clients.find(({ proxy }) => proxy === 'lobby-1');
    const died = performance.now();
    await one.die();
    await onOne?.ended;
    // The connection was closed before HAProxy's next status ping, which is sent only after 10 s.
    expect(performance.now() - died).toBeLessThan(5_000);
    for (let i = 0; i < 6; i += 1) expect((await player(fixture.port)).proxy).toBe('lobby-2');
  });

  it('are disconnected from a removed proxy once this proxy no longer responds', async () => {
    const { fixture, balancer } = await adoptedFixture();
    fixture.addition = 'send-proxy inter 200ms fastinter 200ms';
    const one = await testProxy('lobby-1');
    balancer.want([one.entry()]);
    await waitFor(async () => (await fixture.read()).includes('fastinter 200ms'));
    await waitFor(async () => (await fixture.readyServers()).length === 1);
    // The additional pings show that HAProxy has reloaded its file with the new `entry_addition`.
    await waitFor(() => one.pings > 3);
    const client = await player(fixture.port);
    // Simulates a machine that vanished: connections are neither refused nor answered.
    one.isSilent = true;
    balancer.want([]);
    await waitFor(() => client.isEnded);
  });

  it('are refused while no proxy is open, and can join after a proxy has opened again', async () => {
    const { fixture, balancer } = await adoptedFixture();
    const one = await testProxy('lobby-1');
    balancer.want([one.entry({ open: false })]);
    await balancer.closed('lobby-1', 10_000);
    await expect(joinAs(fixture.port)).rejects.toThrow();
    balancer.want([one.entry()]);
    await waitFor(async () => (await fixture.servers()).includes('lobby-1 ready'));
    expect((await player(fixture.port)).proxy).toBe('lobby-1');
  });
});

describe.skipIf(HAPROXY === null || !existsSync('/etc/haproxy/errors/400.http'))(
  'Debian’s default HAProxy configuration',
  () => {
    it("is valid with Overworld's section, and causes no warnings", async () => {
      const file = join(temporaryFolder(), 'haproxy.cfg');
      const wanted = [new TestProxy('lobby-1', true).entry({ port: 25_570 })];
      const { lines } = renderSection({ wanted, addition: 'send-proxy', way: 'ours', port: 25_565 });
      await writeFile(file, withSection(DEBIAN_STOCK, lines));
      const { stdout, stderr } = await promisify(execFile)(HAPROXY ?? '', ['-c', '-V', '-f', file]);
      expect(stdout + stderr).toContain('Configuration file is valid');
      expect(stdout + stderr).not.toContain('WARNING');
    });
  },
);
