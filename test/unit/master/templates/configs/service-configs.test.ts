import { describe, expect, it } from 'vitest';
import { hasOldPaperConfig, minecraftOf } from '#master/templates/configs/paper-version.ts';
import { proxyKindOf } from '#master/templates/configs/proxy-kind.ts';
import { serviceConfigs, type ConfigSettings } from '#master/templates/configs/service-configs.ts';
import type { ServiceConfigFile } from '#master/templates/configs/config-file.ts';
import type { Forwarding } from '#master/templates/provision.ts';

const settings: ConfigSettings = {
  port: 25571,
  maxPlayers: 40,
  isProxy: false,
  behindProxy: false,
  proxyProtocol: false,
  forwarding: null,
  software: null,
  minecraft: null,
};
const PROXY = { ...settings, isProxy: true, behindProxy: true };

function files(texts: Record<string, string>): ServiceConfigFile[] {
  return Object.entries(texts).map(([path, text]) => ({ path, text }));
}

function write(given: Record<string, string>, how: Partial<ConfigSettings>) {
  const written = serviceConfigs(files(given), { ...settings, ...how });
  return Object.fromEntries(written.map(({ path, text }) => [path, text]));
}

describe('the config files that Overworld changes in a service', () => {
  it('keep online-mode if no proxy authenticates players', () => {
    expect(write({ 'server.properties': 'online-mode=true\n' }, settings)).toEqual({
      'server.properties': 'online-mode=true\nserver-port=25571\nmax-players=40\n',
    });
  });

  it('have online-mode=false for a game server behind a proxy', () => {
    const behind = { ...settings, behindProxy: true };
    expect(write({ 'server.properties': 'online-mode=true\nmax-players=1\n' }, behind)).toEqual({
      'server.properties': 'online-mode=false\nmax-players=40\nserver-port=25571\n',
    });
    expect(write({}, behind)['server.properties']).toBe(
      '# Created by Overworld: server-port, max-players and online-mode are set at each start of a service.\n' +
        'server-port=25571\nmax-players=40\nonline-mode=false\n',
    );
  });

  it.each([
    { template: 'online-mode=true\n', volume: 'online-mode=false\n', want: 'online-mode=true\n' },
    { template: 'motd=Hi\n', volume: 'online-mode=false\n', want: 'online-mode=true\n' },
    { template: 'online-mode=false\n', volume: 'motd=Hi\n', want: 'motd=Hi\n' },
    { template: '', volume: '', want: '' },
  ])('have online-mode of the template ($template) without a proxy, not of the volume', (texts) => {
    const ownProperties = texts.template;
    const after = write({ 'server.properties': `max-players=1\n${texts.volume}` }, { ownProperties });
    expect(after['server.properties']).toContain(texts.want);
    expect(after['server.properties']?.includes('online-mode=false')).toBe(texts.template.includes('false'));
  });

  it('keep online-mode of a volume while there may be a proxy of unknown software', () => {
    const given = { 'server.properties': 'online-mode=false\n' };
    const after = write(given, { ownProperties: 'online-mode=true\n', mayHaveProxy: true });
    expect(after['server.properties']).toContain('online-mode=false\n');
  });

  it('keep server.properties of a volume as it is if the template has the same', () => {
    const ownProperties = 'motd=Hi\nserver-port=1\nmax-players=2\n';
    const after = write({ 'server.properties': ownProperties }, { ownProperties });
    expect(after['server.properties']).toBe('motd=Hi\nserver-port=25571\nmax-players=40\n');
  });

  it('do not include config.yml and velocity.toml of a game server, because only proxies read them', () => {
    const given = { 'config.yml': 'listeners:\n- a: [', 'velocity.toml': '???' };
    expect(Object.keys(write(given, { ...settings, software: 'Velocity 3' }))).toEqual(['server.properties']);
  });

  it('include a new, minimal config.yml for BungeeCord', () => {
    const written = write({}, { ...PROXY, software: 'net.md_5.bungee.Bootstrap' });
    expect(written['config.yml']).toContain('host: 0.0.0.0:25571');
    expect(written['server.properties']).not.toContain('online-mode');
    expect(Object.keys(written)).toEqual(['server.properties', 'config.yml']);
  });

  it('include a new, minimal velocity.toml and the secret file for Velocity', () => {
    const written = write({}, { ...PROXY, software: 'Velocity 3.3.0' });
    expect(Object.keys(written)).toEqual(['server.properties', 'velocity.toml', 'forwarding.secret']);
    expect(written['velocity.toml']).toContain('bind = "0.0.0.0:25571"');
    expect(
      write({ 'forwarding.secret': 'abc' }, { ...PROXY, software: 'Velocity 3.3.0' }),
    ).not.toHaveProperty(['forwarding.secret']);
  });

  it("keep Velocity's forwarding mode if the network uses no forwarding", () => {
    for (const mode of ['none', 'legacy', 'modern']) {
      const text = `player-info-forwarding-mode = "${mode}"\n`;
      const written = write({ 'velocity.toml': text }, { ...PROXY, software: 'Velocity 3.3.0' });
      expect(written['velocity.toml']).toMatch(new RegExp(`^${text}`));
      expect(written).not.toHaveProperty(['forwarding.secret']);
    }
  });

  it('are only server.properties if the software of the proxy is unknown', () => {
    const given = { 'config.yml': 'debug: true\n' };
    expect(Object.keys(write(given, { ...PROXY, software: 'Own Proxy 1.0' }))).toEqual(['server.properties']);
  });
});

describe('the config files that Overworld changes in a service with player forwarding', () => {
  const modern: Forwarding = { kind: 'modern', secret: 'S3', checked: true };
  const legacy: Forwarding = { ...modern, kind: 'legacy' };
  const paper = { software: 'io.papermc.paperclip.Main', minecraft: '1.21.4' };
  const spigot = { software: 'org.bukkit.craftbukkit.bootstrap.Main' };
  const velocity = { ...PROXY, software: 'Velocity 3.4.0' };

  const cases: {
    it: string;
    how: Partial<ConfigSettings>;
    given?: Record<string, string>;
    wants: Record<string, RegExp>;
  }[] = [
    {
      it: "Velocity's secret file",
      how: { ...velocity, forwarding: modern },
      wants: { 'velocity.toml': /mode = "modern"/, 'forwarding.secret': /^S3$/ },
    },
    {
      it: "Velocity's secret in the file that the admin has set",
      how: { ...velocity, forwarding: modern },
      given: { 'velocity.toml': 'forwarding-secret-file = "keys/f"\n', 'forwarding.secret': 'theirs' },
      wants: { 'velocity.toml': /^forwarding-secret-file = "keys\/f"\n/, 'keys/f': /^S3$/ },
    },
    {
      it: "the network's secret if the admin has set modern forwarding",
      how: { ...velocity, forwarding: legacy },
      given: { 'velocity.toml': 'player-info-forwarding-mode = "modern"\n' },
      wants: { 'velocity.toml': /mode = "modern"/, 'forwarding.secret': /^S3$/ },
    },
    {
      it: 'no secret for legacy forwarding',
      how: { ...velocity, forwarding: legacy },
      given: { 'velocity.toml': '' },
      wants: { 'velocity.toml': /mode = "legacy"/ },
    },
    {
      it: "Paper's files for modern forwarding",
      how: { ...paper, forwarding: modern },
      wants: { 'config/paper-global.yml': /secret: 'S3'/ },
    },
    {
      it: "Paper's files for modern forwarding, and spigot.yml if legacy forwarding was on",
      how: { ...paper, forwarding: modern },
      given: { 'spigot.yml': 'settings: {bungeecord: true}\n', 'config/paper-global.yml': '_version: 29\n' },
      wants: { 'spigot.yml': /bungeecord: false/, 'config/paper-global.yml': /_version: 29\n$/ },
    },
    {
      it: 'paper.yml for an older Paper',
      how: { ...paper, minecraft: '1.18.2', forwarding: modern },
      wants: { 'paper.yml': /velocity-support:/ },
    },
    {
      it: "both of Paper's files if a newer Paper would migrate an existing paper.yml",
      how: { ...paper, forwarding: modern },
      given: { 'paper.yml': 'settings: {}\n' },
      wants: { 'paper.yml': /S3/, 'config/paper-global.yml': /S3/ },
    },
    {
      it: 'spigot.yml for legacy forwarding',
      how: { ...paper, forwarding: legacy },
      wants: { 'spigot.yml': /true/ },
    },
    {
      it: "Spigot's file for legacy forwarding",
      how: { ...spigot, forwarding: legacy },
      wants: { 'spigot.yml': /true/ },
    },
    {
      it: 'nothing for Spigot with modern forwarding',
      how: { ...spigot, forwarding: modern },
      given: { 'spigot.yml': 'settings: {bungeecord: true}\n' },
      wants: {},
    },
    {
      it: "the practice server's file for legacy forwarding",
      how: { software: 'Overworld practice server 0.1.0', forwarding: legacy },
      wants: { 'spigot.yml': /true/ },
    },
    {
      it: 'nothing for a vanilla server',
      how: { software: 'net.minecraft.bundler.Main', forwarding: legacy },
      wants: {},
    },
    {
      it: 'spigot.yml for an unknown jar if the file exists',
      how: { software: 'com.example.Server', forwarding: legacy },
      given: { 'spigot.yml': 'settings: {}\n' },
      wants: { 'spigot.yml': /true/ },
    },
    {
      it: 'nothing if forwarding is not set up',
      how: { ...paper, forwarding: null },
      given: { 'spigot.yml': 'settings: [\n' },
      wants: {},
    },
  ];
  it.each(cases)('include $it', ({ how, given = {}, wants }) => {
    const { 'server.properties': properties, ...written } = write(given, how);
    expect(properties).toContain('server-port=25571');
    expect(Object.keys(written).sort()).toEqual(Object.keys(wants).sort());
    for (const [path, want] of Object.entries(wants)) expect(written[path]).toMatch(want);
  });

  it('enable the PROXY protocol for both kinds of proxy', () => {
    const behind = { ...PROXY, proxyProtocol: true };
    expect(write({}, { ...behind, software: 'BungeeCord' })['config.yml']).toContain('proxy_protocol: true');
    expect(write({}, { ...behind, software: 'Velocity' })['velocity.toml']).toContain(
      'haproxy-protocol = true',
    );
  });
});

describe('hasOldPaperConfig (whether Paper reads paper.yml instead of paper-global.yml)', () => {
  it.each([
    ['io.papermc.paperclip.Main', '1.18.2', true],
    ['io.papermc.paperclip.Main', '1.19', false],
    ['io.papermc.paperclip.Main', '1.21.4', false],
    ['io.papermc.paperclip.Main', '26.1', false],
    ['io.papermc.paperclip.Main', null, false],
    ['com.destroystokyo.paperclip.Paperclip', null, true],
    ['CraftBukkit git-Paper-778', null, true],
  ])('returns for %s with Minecraft %s: %s', (software, minecraft, want) => {
    expect(hasOldPaperConfig({ software, minecraft })).toBe(want);
  });

  it('minecraftOf returns the Minecraft version that a jar file contains', () => {
    expect(minecraftOf('ab12\t1.20.4\t1.20.4/paper-1.20.4.jar\n')).toBe('1.20.4');
    for (const text of ['', 'x', 'a\t\tb', 'a\t../etc\tb', `a\t1.${'9'.repeat(40)}\tb`])
      expect(minecraftOf(text)).toBeNull();
  });
});

describe('proxyKindOf (whether a jar file is a BungeeCord or Velocity proxy)', () => {
  const cases: { it: string; software: string | null; given: Record<string, string>; want: string | null }[] =
    [
      {
        it: 'recognizes Velocity by its title',
        software: 'Velocity 3.4.0-SNAPSHOT (git-1)',
        given: {},
        want: 'velocity',
      },
      {
        it: 'recognizes Velocity by its main class',
        software: 'com.velocitypowered.proxy.Velocity',
        given: {},
        want: 'velocity',
      },
      {
        it: 'recognizes BungeeCord by its main class',
        software: 'net.md_5.bungee.Bootstrap',
        given: {},
        want: 'bungeecord',
      },
      { it: 'recognizes Waterfall by its title', software: 'Waterfall git:1', given: {}, want: 'bungeecord' },
      {
        it: 'prefers the jar to the files',
        software: 'net.md_5.bungee.Bootstrap',
        given: { 'velocity.toml': '' },
        want: 'bungeecord',
      },
      {
        it: 'recognizes Velocity by velocity.toml',
        software: null,
        given: { 'velocity.toml': '' },
        want: 'velocity',
      },
      {
        it: 'recognizes BungeeCord by listeners in config.yml',
        software: 'X',
        given: { 'config.yml': 'a: 1\nlisteners:\n' },
        want: 'bungeecord',
      },
      {
        it: 'does not recognize any other config.yml',
        software: null,
        given: { 'config.yml': '  listeners: 1' },
        want: null,
      },
      { it: 'returns null if jar and files are unknown', software: null, given: {}, want: null },
    ];
  it.each(cases)('$it', ({ software, given, want }) => {
    expect(proxyKindOf(software, files(given))).toBe(want);
  });
});
