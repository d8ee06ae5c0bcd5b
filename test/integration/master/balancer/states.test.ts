import { chmod, chown, link, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Balancer } from '#master/balancer/balancer.ts';
import { balancerPorts } from '#master/balancer/config/ports.ts';
import { BEGIN, END, findSection } from '#master/balancer/config/marked-part.ts';
import { player } from '#test/support/haproxy/client.ts';
import { testProxy, TestProxy } from '#test/support/haproxy/proxy.ts';
import { debianConfig } from '#test/support/haproxy/debian.ts';
import { adoptedFixture, HAPROXY, haproxyFixture } from '#test/support/haproxy/haproxy-fixture.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Waits until the balancer's status contains this sentence. */
function says(balancer: Balancer, sentence: RegExp): Promise<unknown> {
  return waitFor(() => sentence.test(balancer.view.error?.message ?? ''), {
    what: `${String(sentence)} (it says ${balancer.view.error?.message ?? balancer.view.state})`,
  });
}

function works(balancer: Balancer): Promise<unknown> {
  return waitFor(() => balancer.view.state === 'working', {
    what: 'the balancer to work',
  });
}

describe.skipIf(HAPROXY === null)("without Overworld's section in the HAProxy configuration", () => {
  it('the configuration counts as foreign, and is not changed', async () => {
    const fixture = await haproxyFixture();
    await fixture.start();
    const balancer = await fixture.open();
    const before = await stat(fixture.config);
    balancer.want([new TestProxy('lobby-1', true).entry({ port: 1 })]);
    await balancer.closed('lobby-1', 1_000);
    expect(balancer.view).toEqual({
      state: 'foreign',
      configPath: fixture.config,
      addresses: [],
      entries: [],
      error: null,
    });
    expect(balancer.sendsProxyProtocol).toBe(false);
    expect((await stat(fixture.config)).mtimeMs).toBe(before.mtimeMs);
  });

  it('HAProxy counts as absent if there is neither a program nor a configuration file', async () => {
    const fixture = await haproxyFixture();
    await rm(fixture.config);
    const balancer = await fixture.open({ findProgram: () => Promise.resolve(null) });
    expect(balancer.view).toMatchObject({ state: 'absent', error: null });
    await expect(balancer.adopt()).rejects.toMatchObject({ code: 'BALANCER_CONFIG_MISSING' });
  });

  it.each([
    ['a missing file', 'BALANCER_CONFIG_MISSING', (): string | null => null],
    ['no runtime socket', 'BALANCER_UNREACHABLE', (text: string) => text.replace(/^\tstats socket.*$/m, '')],
    [
      'a socket that allows no changes',
      'BALANCER_UNREACHABLE',
      (text: string) => text.replace(' level admin', ''),
    ],
    ['a backend named overworld', 'BALANCER_CONFIG_UNUSABLE', (text: string) => `${text}backend overworld\n`],
    [
      'a mistake of the admin',
      'BALANCER_CONFIG_UNUSABLE',
      (text: string) => `${text}backend b\n\tserver s1\n`,
    ],
    ['an incomplete section', 'BALANCER_CONFIG_UNUSABLE', (text: string) => `${text}${BEGIN}\n`],
  ])('adopting HAProxy is refused with %s, and changes nothing', async (_, code, change) => {
    const fixture = await haproxyFixture();
    const text = change(await fixture.read());
    // A running HAProxy keeps the configuration that it was started with.
    if (code === 'BALANCER_UNREACHABLE' && text !== null) await fixture.write(text);
    if (text?.includes('stats socket') === true || text === null) await fixture.start();
    if (text === null) await rm(fixture.config);
    else await fixture.write(text);
    const balancer = await fixture.open();
    await expect(balancer.adopt()).rejects.toMatchObject({ code });
    if (text !== null) expect(await fixture.read()).toBe(text);
  });
});

describe.skipIf(HAPROXY === null)('adopting HAProxy', () => {
  it('creates a backup copy, keeps mode and owner of the file, and can be undone', async () => {
    const fixture = await haproxyFixture();
    await chmod(fixture.config, 0o640);
    if (process.getuid?.() === 0) await chown(fixture.config, 0, 1);
    const [before, owner] = [await fixture.read(), await stat(fixture.config)];
    await fixture.start();
    const balancer = await fixture.open();
    const view = await balancer.adopt();
    expect(view).toMatchObject({ state: 'working', addresses: [{ host: '127.0.0.1', port: fixture.port }] });
    expect(await readFile(`${fixture.config}.overworld-backup`, 'latin1')).toBe(before);
    expect(await readFile(`${fixture.config}.overworld-last-good`, 'latin1')).toBe(await fixture.read());
    const { mode, uid, gid } = await stat(fixture.config);
    expect([mode, uid, gid]).toEqual([owner.mode, owner.uid, owner.gid]);
    expect([...balancerPorts(await fixture.read(), fixture.port)]).toEqual([fixture.port]);

    expect(await balancer.remove()).toMatchObject({ state: 'foreign' });
    expect(await fixture.read()).toBe(before);
    await waitFor(async () => !(await fixture.ask('show stat')).includes('overworld'));
  });

  it('changes the target of a configuration file that is a symbolic link, and keeps the link', async () => {
    const fixture = await haproxyFixture();
    const real = join(fixture.folder, 'real', 'haproxy.cfg');
    await mkdir(join(fixture.folder, 'real'));
    await link(fixture.config, real);
    await rm(fixture.config);
    await symlink(real, fixture.config);
    await fixture.start();
    const balancer = await fixture.open();
    await balancer.adopt();
    expect(findSection(await readFile(real, 'latin1')).kind).toBe('one');
    expect(await readFile(`${real}.overworld-backup`, 'latin1')).toBe(debianConfig(fixture.folder));
    await expect(stat(`${fixture.config}.overworld-backup`)).rejects.toThrow();
  });

  it('uses a frontend of the admin that already sends players to Overworld', async () => {
    const fixture = await haproxyFixture();
    const plain = await fixture.read();
    await fixture.start();
    const balancer = await fixture.open();
    await fixture.write(
      `${plain}frontend mc\n\tmode tcp\n\tbind :${fixture.port}\n\tdefault_backend overworld\n`,
    );
    expect(await balancer.adopt()).toMatchObject({
      state: 'working',
      addresses: [{ host: '127.0.0.1', port: fixture.port }],
    });
    const one = await testProxy('lobby-1');
    balancer.want([one.entry()]);
    await waitFor(async () => (await fixture.readyServers()).length === 1);
    expect((await player(fixture.port)).proxy).toBe('lobby-1');
    expect((await fixture.read()).match(/^frontend/gm)).toHaveLength(1);

    await expect(balancer.remove()).rejects.toThrow(
      /^The load balancer configuration \S+ was not changed: frontend mc \(line \d+\) sends players to Overworld's section; change its destination first, or remove it\.$/,
    );
    expect(findSection(await fixture.read()).kind).toBe('one');
  });

  it('is refused with advice if another section of the configuration uses the port', async () => {
    const fixture = await haproxyFixture();
    await fixture.write(`${await fixture.read()}frontend mc\n\tmode tcp\n\tbind 127.0.0.1:${fixture.port}\n`);
    await fixture.start();
    const balancer = await fixture.open();
    await expect(balancer.adopt()).rejects.toThrow(
      /frontend mc \(line \d+\) uses port .*default_backend overworld/,
    );
  });

  it('waits until another program releases the port', async () => {
    const fixture = await haproxyFixture();
    await fixture.start();
    const balancer = await fixture.open();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(fixture.port, '0.0.0.0', resolve));
    expect(await balancer.adopt()).toMatchObject({
      state: 'trouble',
      addresses: [],
      error: { code: 'BALANCER_PORT_TAKEN' },
    });
    expect([...balancerPorts(await fixture.read(), fixture.port)]).toEqual([fixture.port]);
    balancer.want([]);
    await new Promise((resolve) => other.close(resolve));
    await waitFor(() => balancer.view.addresses.length === 1);
    expect(balancer.view.state).toBe('working');
  });

  it('preserves the Windows line endings of the configuration file', async () => {
    const fixture = await haproxyFixture();
    await fixture.write((await fixture.read()).replaceAll('\n', '\r\n'));
    await fixture.start();
    const balancer = await fixture.open();
    expect(await balancer.adopt()).toMatchObject({ state: 'working' });
    expect((await fixture.read()).replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  });
});

describe.skipIf(HAPROXY === null)('the balancer', () => {
  it('reports an entry_addition that HAProxy rejects, and uses the last valid one', async () => {
    const { fixture, balancer } = await adoptedFixture();
    const [one, two] = [await testProxy('lobby-1'), await testProxy('lobby-2')];
    balancer.want([one.entry()]);
    await works(balancer);
    fixture.addition = 'send-proxi';
    await says(
      balancer,
      /rejects balancer.entry_addition "send-proxi": .*send-proxi.*"send-proxy" remains in effect/,
    );
    expect(balancer.sendsProxyProtocol).toBe(true);
    balancer.want([one.entry({ open: false }), two.entry()]);
    await waitFor(async () => (await fixture.servers()).join() === 'lobby-1 drain,lobby-2 ready');
    expect((await player(fixture.port)).proxy).toBe('lobby-2');
    fixture.addition = 'send-proxy-v2';
    await works(balancer);
    await waitFor(async () => (await fixture.read()).includes('check-send-proxy send-proxy-v2\n'));
    expect((await player(fixture.port)).proxy).toBe('lobby-2');
  });

  it('reports an invalid entry_addition before a proxy uses it', async () => {
    const { fixture, balancer } = await adoptedFixture();
    balancer.want([]);
    fixture.addition = 'send-proxy bogus';
    await says(balancer, /entry_addition "send-proxy bogus"/);
    expect(await fixture.read()).toContain('# entry_addition: send-proxy\n');
  });

  it('writes entry_addition to the file if the runtime socket does not support it', async () => {
    const { fixture, balancer } = await adoptedFixture();
    fixture.addition = 'send-proxy "weight" 7 # heavy';
    const one = await testProxy('lobby-1');
    balancer.want([one.entry()]);
    await waitFor(async () => (await fixture.servers()).join() === 'lobby-1 ready');
    await works(balancer);
    expect((await player(fixture.port)).proxy).toBe('lobby-1');
  });

  it('updates the file even if HAProxy is not running, so that HAProxy starts with the current proxies', async () => {
    const { fixture, balancer } = await adoptedFixture();
    const [one, two] = [await testProxy('lobby-1'), await testProxy('lobby-2')];
    balancer.want([one.entry({ open: false }), two.entry()]);
    await waitFor(async () => (await fixture.read()).includes('lobby-2'));
    await fixture.stop();
    await says(balancer, /nothing is listening on it, so HAProxy is not running/);
    balancer.want([two.entry({ open: false }), one.entry()]);
    await waitFor(async () => /lobby-2 \S+ disabled/.test(await fixture.read()));
    await fixture.start();
    await works(balancer);
    await waitFor(async () => (await fixture.servers()).join() === 'lobby-1 ready,lobby-2 maint');
    expect((await player(fixture.port)).proxy).toBe('lobby-1');
  });

  it("reverts changes by others in the runtime socket and in Overworld's section of the file", async () => {
    const { fixture, balancer } = await adoptedFixture();
    const one = await testProxy('lobby-1');
    balancer.want([one.entry()]);
    await waitFor(async () => (await fixture.read()).includes('lobby-1'));
    await works(balancer);
    const good = await fixture.read();
    await fixture.ask('set server overworld/lobby-1 state maint');
    await waitFor(async () => (await fixture.servers()).join() === 'lobby-1 ready');
    await fixture.ask('set server overworld/lobby-1 state maint');
    await fixture.ask('del server overworld/lobby-1');
    await waitFor(async () => (await fixture.servers()).join() === 'lobby-1 ready');
    await fixture.write(good.replace('timeout client 1d', 'timeout client 1s'));
    await waitFor(async () => (await fixture.read()) === good);
    // The result is the same if HAProxy reads the file before Overworld's next check, or after it.
    await fixture.write(good.replace(/^ {4}server .*\n/m, ''));
    await fixture.master('reload');
    await waitFor(async () => (await fixture.servers().catch(() => [])).join() === 'lobby-1 ready');
    await waitFor(async () => (await fixture.read()) === good);
  });

  it('keeps changes by the admin in the file, even if Overworld writes the file at the same moment', async () => {
    const { fixture, balancer } = await adoptedFixture();
    const one = await testProxy('lobby-1');
    for (let i = 0; i < 30; i += 1) {
      balancer.want([one.entry({ open: i % 2 === 0 })]);
      const text = await fixture.read();
      await fixture.write(`# edit ${i}\n${text}`);
    }
    await waitFor(async () => /lobby-1 \S+ disabled/.test(await fixture.read()));
    expect((await fixture.read()).split('\n').slice(0, 30)).toEqual(
      Array.from({ length: 30 }, (_, i) => `# edit ${29 - i}`),
    );
  });

  it("reports a mistake in the admin's part of the file, and no player loses the connection", async () => {
    const { fixture, balancer } = await adoptedFixture();
    const [one, two] = [await testProxy('lobby-1'), await testProxy('lobby-2')];
    balancer.want([one.entry()]);
    await waitFor(async () => (await fixture.read()).includes('lobby-1'));
    await works(balancer);
    const faulty = `nonsense\n${await fixture.read()}`;
    await fixture.write(faulty);
    await says(
      balancer,
      /was not changed: HAProxy reports an error in it: line 1: unknown keyword 'nonsense'/,
    );
    balancer.want([one.entry({ open: false }), two.entry()]);
    // A proxy is drained before other changes are made, so the other proxy may become ready a moment later.
    await waitFor(async () => (await fixture.servers()).join() === 'lobby-1 drain,lobby-2 ready');
    // HAProxy sends no players to lobby-2 before its first health check.
    expect((await waitFor(() => player(fixture.port))).proxy).toBe('lobby-2');
    expect(await fixture.read()).toBe(faulty);
    await fixture.write(faulty.replace('nonsense\n', ''));
    await works(balancer);
    await waitFor(async () => (await fixture.read()).includes('lobby-2'));
  });

  it.each([
    ['two sections', (text: string) => `${text}${BEGIN}\n${END}\n`, /appears in lines/],
    ['a missing end mark', (text: string) => text.replace(END, ''), /without "# END OVERWORLD"/],
    [
      'a section named overworld',
      (text: string) => `${text}listen overworld\n\tbind 127.0.0.1:1\n`,
      /has the name/,
    ],
  ])('does not write to a file with %s, but can still drain proxies', async (_, change, sentence) => {
    const { fixture, balancer } = await adoptedFixture();
    const [one, two] = [await testProxy('lobby-1'), await testProxy('lobby-2')];
    balancer.want([one.entry(), two.entry()]);
    await works(balancer);
    await waitFor(async () => (await fixture.read()).includes('lobby-2'));
    const broken = change(await fixture.read());
    await fixture.write(broken);
    await says(balancer, sentence);
    balancer.want([one.entry({ open: false }), two.entry()]);
    await balancer.closed('lobby-1', 10_000);
    expect(await fixture.servers()).toEqual(['lobby-1 drain', 'lobby-2 ready']);
    expect(await fixture.read()).toBe(broken);
  });

  it('does not add its section again after the admin has removed it', async () => {
    const { fixture, balancer } = await adoptedFixture();
    balancer.want([]);
    await fixture.write(debianConfig(fixture.folder));
    await waitFor(() => balancer.view.state === 'foreign');
    expect(await fixture.read()).toBe(debianConfig(fixture.folder));
  });

  it('reports that HAProxy was started with a different configuration file', async () => {
    const fixture = await haproxyFixture();
    const other = join(fixture.folder, 'other.cfg');
    await writeFile(other, await fixture.read());
    await fixture.start(other);
    const balancer = await fixture.open();
    const view = await balancer.adopt();
    expect(view.error?.message).toMatch(/started with .*other\.cfg instead/);
    expect(view).toMatchObject({ state: 'trouble', addresses: [] });
  });

  it('changes nothing until the master has sent the list of proxies', async () => {
    const { fixture, balancer } = await adoptedFixture();
    const one = await testProxy('lobby-1');
    balancer.want([one.entry()]);
    await waitFor(async () => (await fixture.read()).includes('lobby-1'));
    await balancer.close();
    const before = await fixture.read();
    const next = await fixture.open();
    expect(next.view.entries).toMatchObject([{ service: 'lobby-1', state: 'open' }]);
    expect(next.sendsProxyProtocol).toBe(true);
    expect(await fixture.read()).toBe(before);
  });

  it("reports a missing HAProxy program if the file contains Overworld's section", async () => {
    const { fixture, balancer } = await adoptedFixture();
    await balancer.close();
    const other = await fixture.open({ findProgram: () => Promise.resolve(null) });
    expect(other.view).toMatchObject({ state: 'trouble', error: { code: 'BALANCER_PROGRAM_MISSING' } });
  });
});
