import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasCode } from '#shared/errors/overworld-error.ts';
import type { ServiceSpec } from '#master/runtime/runtime.ts';
import { NO_PROVISION } from '#master/templates/provision.ts';
import { buildProbeServer } from '#test/support/java/probe-server.ts';
import { runtimeFixture, type RuntimeFixture } from '#test/support/master/runtime-fixture.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';

/** Server whose manifest names Velocity. `nameless` is a server whose manifest names no software. */
let velocity: ReturnType<typeof buildProbeServer>;
let nameless: ReturnType<typeof buildProbeServer>;
beforeAll(() => {
  velocity = buildProbeServer('Implementation-Title: Velocity\nImplementation-Version: 3.4.0\n');
  nameless = buildProbeServer();
});
afterAll(() => {
  velocity.remove();
  nameless.remove();
});

const proxySpec = serviceSpec({ id: 'gate-1', template: 'gate', isProxy: true, maxPlayers: 40 });

/** Prepares a service. Returns its port, the names of its files and a function that reads one of them. */
async function prepared({ open, services }: RuntimeFixture, spec = proxySpec) {
  await open().prepare(spec);
  const folder = join(services, spec.id, 'files');
  const record: unknown = JSON.parse(await readFile(join(services, spec.id, 'run', 'spec.json'), 'utf8'));
  const { port } = record as { port: number };
  return { port, bytes: (path: string) => readFile(join(folder, path)), names: await readdir(folder) };
}

describe('the config file of a proxy or game server', () => {
  it('is changed only in the values that the master sets, and in no other byte', async () => {
    const fixture = await runtimeFixture(nameless.jar);
    // The file contains UTF-8 text, Windows line ends, and a byte that is invalid in UTF-8.
    const written = (host: string, limit: string, forward: string) =>
      Buffer.concat([
        Buffer.from(`# Gr\u00FC\u00DFe\r\nlisteners:\r\n- motd: 'h\u00E9'\r\n  host: ${host}\r\n`),
        Buffer.from([0x23, 0xff, 0x0a]),
        Buffer.from(`  max_players: ${limit}\r\nip_forward: ${forward}`),
      ]);
    await writeFile(join(fixture.template, 'config.yml'), written('0.0.0.0:1', '1', 'false'));
    const { port, bytes, names } = await prepared(fixture);
    expect(await bytes('config.yml')).toEqual(written(`0.0.0.0:${port}`, '40', 'true'));
    expect(names).not.toContain('velocity.toml');
    expect(await readFile(join(fixture.template, 'config.yml'))).toEqual(written('0.0.0.0:1', '1', 'false'));
  });

  it('is created for Velocity, which the master recognises by the manifest of the jar file', async () => {
    const { port, bytes, names } = await prepared(await runtimeFixture(velocity.jar));
    expect((await bytes('velocity.toml')).toString()).toContain(`bind = "0.0.0.0:${port}"`);
    expect(names.sort()).toEqual(['forwarding.secret', 'server.jar', 'server.properties', 'velocity.toml']);
  });

  it('can be one of the default service files', async () => {
    const fixture = await runtimeFixture(velocity.jar);
    await writeFile(join(fixture.folder, 'files', 'shared.toml'), 'bind = "x:1" # shared\n');
    const defaultServiceFiles = [{ path: 'shared.toml', destination: 'velocity.toml' }];
    const { port, bytes } = await prepared(fixture, { ...proxySpec, defaultServiceFiles });
    expect((await bytes('velocity.toml')).toString()).toBe(
      `bind = "0.0.0.0:${port}" # shared\nshow-max-players = 40\n`,
    );
  });

  it('turns off authentication on a game server whose proxy authenticates players', async () => {
    const fixture = await runtimeFixture(nameless.jar);
    await writeFile(join(fixture.template, 'server.properties'), 'online-mode=true\nmotd=Hi\n');
    const alone = await prepared(fixture, serviceSpec());
    expect((await alone.bytes('server.properties')).toString()).toContain('online-mode=true\n');
    const behind = await prepared(fixture, serviceSpec({ id: 'lobby-2', behindProxy: true }));
    expect((await behind.bytes('server.properties')).toString()).toContain('online-mode=false\nmotd=Hi\n');
  });

  it('has online-mode of the template without a proxy, even if a volume keeps the value of a time with a proxy', async () => {
    const fixture = await runtimeFixture(nameless.jar);
    const saved = join(fixture.folder, 'saved.properties');
    await writeFile(saved, 'motd=Kept\nonline-mode=false\n');
    const entries = [{ path: 'server.properties', size: 28, mode: 0o600, hash: '0' }];
    const volume = { entries, pathOf: () => saved };
    const spec = serviceSpec({ persistentPaths: ['server.properties'] });
    const written = async (mayHaveProxy: boolean, id: ServiceSpec['id']) => {
      await fixture.open().prepare({ ...spec, id }, { ...NO_PROVISION, volume, mayHaveProxy });
      return readFile(join(fixture.services, id, 'files', 'server.properties'), 'utf8');
    };
    expect(await written(false, 'lobby-1')).toContain('motd=Kept\nonline-mode=true\n');
    expect(await written(true, 'lobby-2')).toContain('motd=Kept\nonline-mode=false\n');
  });

  it('causes an error with the line number if it is invalid', async () => {
    const fixture = await runtimeFixture(nameless.jar);
    await writeFile(join(fixture.template, 'config.yml'), 'listeners:\n- host: [1\nmax: 2\n');
    const refused = await prepared(fixture).catch((error: unknown) => error);
    expect(hasCode(refused, 'TEMPLATE_UNREADABLE') && refused.message).toMatch(
      /files of template gate cannot be used: config\.yml: line \d is not valid YAML/,
    );
    expect(await readdir(fixture.services)).toEqual([]);
  });

  it('causes an error if it is a folder', async () => {
    const fixture = await runtimeFixture(velocity.jar);
    await mkdir(join(fixture.template, 'velocity.toml'));
    const refused = await prepared(fixture).catch((error: unknown) => error);
    expect(hasCode(refused, 'TEMPLATE_UNREADABLE') && refused.message).toMatch(
      /velocity\.toml is not a file/,
    );
  });

  it('depends on behindProxy, and a service whose older record lacks this value is still adopted', async () => {
    const fixture = await runtimeFixture(nameless.jar);
    const runtime = fixture.open();
    await runtime.prepare(serviceSpec());
    const { pid } = await runtime.start('lobby-1');
    const path = join(fixture.services, 'lobby-1', 'run', 'spec.json');
    const text = await readFile(path, 'utf8');
    const earlier = text.replace(/"behindProxy": ?false,\s*/, '');
    expect(earlier).not.toBe(text);
    await writeFile(path, earlier);
    await runtime.close();
    expect(await fixture.open().observe()).toMatchObject([
      { state: 'alive', pid, spec: serviceSpec({ behindProxy: false }) },
    ]);
  });
});
