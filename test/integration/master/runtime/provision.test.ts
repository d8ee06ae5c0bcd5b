import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasCode } from '#shared/errors/overworld-error.ts';
import type { ProvidedFile, Provision, ServiceSpec } from '#master/runtime/runtime.ts';
import { statusPing } from '#master/runtime/ping/status-ping.ts';
import { practiceProxyJar } from '#test/support/players/practice-proxy.ts';
import { practiceServerJar } from '#test/support/players/practice-server.ts';
import { buildProbeServer } from '#test/support/java/probe-server.ts';
import { realProxies } from '#test/support/players/real-proxy.ts';
import { useProxyGame } from '#test/support/players/proxy-game.ts';
import { runtimeFixture, type RuntimeFixture } from '#test/support/master/runtime-fixture.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';
import { waitFor } from '#test/support/wait-for.ts';

const TOKEN = 'token-that-nobody-else-sees';
const SECRET = 'secret-of-the-network';

const jar: ProvidedFile = { path: 'plugins/overworld.jar', content: Buffer.from([0, 0xff, 1]), mode: 0o644 };
const link: ProvidedFile = { path: 'overworld-link.properties', content: Buffer.from(TOKEN), mode: 0o600 };
const legacy: Provision = {
  files: [jar, link],
  forwarding: { kind: 'legacy', secret: SECRET, checked: false },
};

const game = useProxyGame();

function filesOf({ services }: RuntimeFixture, id = 'lobby-1'): string {
  return join(services, id, 'files');
}

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

/** Prepares and starts a service, and waits until it answers a ping. */
async function started(fixture: RuntimeFixture, spec: ServiceSpec, provision: Provision) {
  const runtime = fixture.open();
  await runtime.prepare(spec, provision);
  const { port } = await runtime.start(spec.id);
  const ping = (proxyHeader = spec.proxyProtocol, timeoutMs = 2_000) =>
    statusPing({ host: '127.0.0.1', port, timeoutMs, proxyHeader });
  await waitFor(async () => ((await ping()).kind === 'answer' ? true : undefined));
  return { port, ping };
}

describe('the files that the master adds to a service', () => {
  it('replace an existing file, folder or link, and have their own permissions', async () => {
    const fixture = await runtimeFixture(await practiceServerJar());
    await mkdir(join(fixture.template, 'plugins/overworld.jar/deep'), { recursive: true });
    const elsewhere = join(fixture.folder, 'elsewhere');
    await writeFile(elsewhere, 'kept');
    await symlink(elsewhere, join(fixture.template, link.path));
    await fixture.open().prepare(serviceSpec(), legacy);
    const files = filesOf(fixture);
    expect(await readFile(join(files, jar.path))).toEqual(jar.content);
    expect(await readFile(join(files, link.path), 'utf8')).toBe(TOKEN);
    expect(await modeOf(join(files, jar.path))).toBe('644');
    expect(await modeOf(join(files, link.path))).toBe('600');
    expect(await readFile(elsewhere, 'utf8')).toBe('kept');
  });

  it('have the same permissions for any umask and any permissions of existing files', async () => {
    const fixture = await runtimeFixture(await practiceServerJar());
    await writeFile(join(fixture.template, link.path), 'old');
    await chmod(join(fixture.template, link.path), 0o444);
    const before = process.umask(0o077);
    try {
      await fixture.open().prepare(serviceSpec(), legacy);
    } finally {
      process.umask(before);
    }
    expect(await modeOf(join(filesOf(fixture), jar.path))).toBe('644');
    expect(await modeOf(join(filesOf(fixture), link.path))).toBe('600');
    // The mode is 600, because configuration files may contain secrets.
    expect(await modeOf(join(filesOf(fixture), 'spigot.yml'))).toBe('600');
  });

  it('are rejected if the template has a link in place of their folder', async () => {
    const fixture = await runtimeFixture(await practiceServerJar());
    const elsewhere = join(fixture.folder, 'elsewhere');
    await mkdir(elsewhere);
    await symlink(elsewhere, join(fixture.template, 'plugins'));
    const refused = await fixture
      .open()
      .prepare(serviceSpec(), legacy)
      .catch((error: unknown) => error);
    expect(hasCode(refused, 'TEMPLATE_UNREADABLE') && refused.message).toMatch(/"plugins" is not a folder/);
    expect(await readdir(elsewhere)).toEqual([]);
    expect(await readdir(fixture.services)).toEqual([]);
  });

  it('do not reveal their secrets in the record, the process list and the logs', async () => {
    const paper = buildProbeServer('Implementation-Title: Paper\nImplementation-Version: 1.21.4\n');
    onTestFinished(paper.remove);
    const fixture = await runtimeFixture(paper.jar);
    const runtime = fixture.open();
    const forwarding = { kind: 'modern', secret: SECRET, checked: true } as const;
    await runtime.prepare(serviceSpec(), { ...legacy, forwarding });
    const { pid } = await runtime.start('lobby-1');
    await runtime.command('lobby-1', 'environment');
    const log = await waitFor(async () => {
      const lines = await runtime.tailLog('lobby-1', 500);
      return lines.some((line) => line.startsWith('environment')) ? lines.join('\n') : undefined;
    });
    const config = join(filesOf(fixture), 'config/paper-global.yml');
    expect(await readFile(config, 'utf8')).toContain(`secret: '${SECRET}'`);
    expect(await modeOf(config)).toBe('600');
    const run = join(fixture.services, 'lobby-1', 'run');
    const told = [
      log,
      JSON.stringify(await runtime.observe()),
      await readFile(join(run, 'spec.json'), 'utf8'),
    ];
    if (process.platform === 'linux') told.push(await readFile(`/proc/${pid ?? 0}/cmdline`, 'latin1'));
    for (const text of told) {
      expect(text).not.toBe('');
      expect(text).not.toContain(TOKEN);
      expect(text).not.toContain(SECRET);
    }
  });
});

describe('player forwarding on a service', () => {
  it('lets players join a game server through the proxy, and refuses direct connections', async () => {
    const fixture = await runtimeFixture(await practiceServerJar());
    const spec = serviceSpec({ behindProxy: true });
    const { port, ping } = await started(fixture, spec, legacy);
    expect(await ping()).toMatchObject({ players: { online: 0, max: 20 } });
    await expect(game.join({ port }, { username: 'Direct' })).rejects.toThrow(/proxies only/);
    const proxy = await game.proxy({ lobby: { port } });
    const player = await game.join(proxy, { username: 'Guest' });
    expect(await ping()).toMatchObject({ players: { online: 1 } });
    await player.leave();
  });
});

describe('the PROXY protocol on a service', () => {
  it('is required by proxies that are configured for it, and refused by all others', async () => {
    const fixture = await runtimeFixture(await practiceProxyJar());
    const spec = serviceSpec({ id: 'gate-1', template: 'gate', isProxy: true });
    // The admin's file contains another setting, which the master replaces.
    await writeFile(
      join(fixture.template, 'config.yml'),
      'listeners:\n- host: 0.0.0.0:1\n  proxy_protocol: true\n',
    );
    const plain = await started(fixture, spec, legacy);
    const behind = await started(fixture, { ...spec, id: 'gate-2', proxyProtocol: true }, legacy);
    expect(await readFile(join(filesOf(fixture, 'gate-1'), 'config.yml'), 'utf8')).toBe(
      `ip_forward: true\nlisteners:\n- max_players: 20\n  host: 0.0.0.0:${plain.port}\n  proxy_protocol: false\n`,
    );
    expect((await plain.ping(true, 500)).kind).toBe('silent');
    expect((await behind.ping(false, 500)).kind).toBe('silent');
  });

  describe.each(Object.entries(realProxies))('on a real %s', (kind, proxyJar) => {
    it.skipIf(proxyJar === undefined)('is required if it is configured (OVERWORLD_TEST_*_JAR)', async () => {
      const fixture = await runtimeFixture(proxyJar ?? '');
      // Prevent downloads and statistics during the server's first start.
      await mkdir(join(fixture.template, 'plugins/bStats'), { recursive: true });
      await writeFile(join(fixture.template, 'plugins/bStats/config.txt'), 'enabled=false\n');
      await writeFile(join(fixture.template, 'modules.yml'), 'modules: []\n');
      const forwarding = {
        kind: kind === 'Velocity' ? 'modern' : 'legacy',
        secret: SECRET,
        checked: true,
      } as const;
      const spec = serviceSpec({ id: 'gate-1', template: 'gate', isProxy: true, maxJvmMemoryMb: 192 });
      const behind = { ...spec, proxyProtocol: true };
      const { ping } = await started(fixture, behind, { files: [], forwarding });
      expect(await ping()).toMatchObject({ players: { online: 0 } });
      expect((await ping(false, 500)).kind).toBe('silent');
    });
  });
});
