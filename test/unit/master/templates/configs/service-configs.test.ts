import { describe, expect, it } from 'vitest';
import { proxyKindOf } from '#master/templates/configs/proxy-kind.ts';
import {
  serviceConfigs,
  type ConfigFile,
  type ConfigSettings,
} from '#master/templates/configs/service-configs.ts';

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

function files(texts: Record<string, string>): ConfigFile[] {
  return Object.entries(texts).map(([path, text]) => ({ path, text }));
}

function write(given: Record<string, string>, how: Partial<ConfigSettings>) {
  const written = serviceConfigs(files(given), { ...settings, ...how });
  return Object.fromEntries(written.map(({ path, text }) => [path, text]));
}

describe('serviceConfigs', () => {
  it('leaves online-mode to the admin where no proxy checks players', () => {
    expect(write({ 'server.properties': 'online-mode=true\n' }, settings)).toEqual({
      'server.properties': 'online-mode=true\nserver-port=25571\nmax-players=40\n',
    });
  });

  it('switches online-mode off behind a proxy', () => {
    const behind = { ...settings, behindProxy: true };
    expect(write({ 'server.properties': 'online-mode=true\nmax-players=1\n' }, behind)).toEqual({
      'server.properties': 'online-mode=false\nmax-players=40\nserver-port=25571\n',
    });
    expect(write({}, behind)['server.properties']).toBe(
      '# Made by Overworld: server-port, max-players and online-mode are set anew at each start of a service.\n' +
        'server-port=25571\nmax-players=40\nonline-mode=false\n',
    );
  });

  it("leaves a game server's own config.yml and velocity.toml alone, whatever is in them", () => {
    const given = { 'config.yml': 'listeners:\n- a: [', 'velocity.toml': '???' };
    expect(Object.keys(write(given, { ...settings, software: 'Velocity 3' }))).toEqual(['server.properties']);
  });

  it('writes a minimal config.yml for BungeeCord', () => {
    const written = write({}, { ...PROXY, software: 'net.md_5.bungee.Bootstrap' });
    expect(written['config.yml']).toContain('host: 0.0.0.0:25571');
    expect(written['server.properties']).not.toContain('online-mode');
    expect(Object.keys(written)).toEqual(['server.properties', 'config.yml']);
  });

  it('writes a minimal velocity.toml, and the secret that Velocity would miss', () => {
    const written = write({}, { ...PROXY, software: 'Velocity 3.3.0' });
    expect(Object.keys(written)).toEqual(['server.properties', 'velocity.toml', 'forwarding.secret']);
    expect(written['velocity.toml']).toContain('bind = "0.0.0.0:25571"');
    expect(
      write({ 'forwarding.secret': 'abc' }, { ...PROXY, software: 'Velocity 3.3.0' }),
    ).not.toHaveProperty(['forwarding.secret']);
  });

  it('never touches how Velocity forwards', () => {
    for (const mode of ['none', 'legacy', 'modern']) {
      const text = `player-info-forwarding-mode = "${mode}"\n`;
      const written = write({ 'velocity.toml': text }, { ...PROXY, software: 'Velocity 3.3.0' });
      expect(written['velocity.toml']).toMatch(new RegExp(`^${text}`));
      expect(written).not.toHaveProperty(['forwarding.secret']);
    }
  });

  it('writes server.properties alone for a proxy it does not know', () => {
    const given = { 'config.yml': 'debug: true\n' };
    expect(Object.keys(write(given, { ...PROXY, software: 'Own Proxy 1.0' }))).toEqual(['server.properties']);
  });
});

describe('proxyKindOf', () => {
  const cases: { it: string; software: string | null; given: Record<string, string>; want: string | null }[] =
    [
      { it: "Velocity's title", software: 'Velocity 3.4.0-SNAPSHOT (git-1)', given: {}, want: 'velocity' },
      {
        it: "Velocity's main class",
        software: 'com.velocitypowered.proxy.Velocity',
        given: {},
        want: 'velocity',
      },
      { it: "BungeeCord's main class", software: 'net.md_5.bungee.Bootstrap', given: {}, want: 'bungeecord' },
      { it: 'Waterfall', software: 'Waterfall git:1', given: {}, want: 'bungeecord' },
      {
        it: 'the jar before the files',
        software: 'net.md_5.bungee.Bootstrap',
        given: { 'velocity.toml': '' },
        want: 'bungeecord',
      },
      { it: 'velocity.toml', software: null, given: { 'velocity.toml': '' }, want: 'velocity' },
      { it: 'listeners', software: 'X', given: { 'config.yml': 'a: 1\nlisteners:\n' }, want: 'bungeecord' },
      { it: 'any other config.yml', software: null, given: { 'config.yml': '  listeners: 1' }, want: null },
      { it: 'nothing', software: null, given: {}, want: null },
    ];
  it.each(cases)('goes by $it', ({ software, given, want }) => {
    expect(proxyKindOf(software, files(given))).toBe(want);
  });
});
