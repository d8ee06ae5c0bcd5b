import { describe, expect, it } from 'vitest';
import { forwardingOf, type ProxySettings } from '#master/templates/configs/forwarding.ts';

const bungee: ProxySettings = { kind: 'bungeecord', checked: true, mode: null };
const velocity: ProxySettings = { kind: 'velocity', checked: true, mode: null };
const unknown: ProxySettings = { kind: null, checked: false, mode: null };

const SPIGOT = 'org.bukkit.craftbukkit.Main';
const PAPER = 'io.papermc.paperclip.Main';
const PRACTICE = 'Overworld practice server 0.1.0';

describe('forwardingOf (kind of player forwarding in the network)', () => {
  const cases: { it: string; proxies: ProxySettings[]; games?: (string | null)[]; want: string | null }[] = [
    { it: 'null without proxies', proxies: [], want: null },
    { it: 'null with unknown proxies', proxies: [unknown], want: null },
    { it: 'legacy with BungeeCord', proxies: [bungee], games: [PAPER], want: 'legacy' },
    { it: 'modern with Velocity and Paper', proxies: [velocity], games: [PAPER, PAPER], want: 'modern' },
    { it: 'modern with unknown game servers', proxies: [velocity], games: [null, 'Fabric'], want: 'modern' },
    { it: 'legacy with Velocity and BungeeCord', proxies: [velocity, bungee], want: 'legacy' },
    { it: 'modern with Velocity and an unknown proxy', proxies: [velocity, unknown], want: 'modern' },
    { it: 'legacy with a Spigot server', proxies: [velocity], games: [PAPER, SPIGOT], want: 'legacy' },
    { it: 'legacy with the practice server', proxies: [velocity], games: [PRACTICE], want: 'legacy' },
    {
      it: 'legacy if a Velocity proxy is set to legacy',
      proxies: [velocity, { ...velocity, mode: 'legacy' }],
      want: 'legacy',
    },
    {
      it: 'legacy if a Velocity proxy is set to bungeeguard',
      proxies: [{ ...velocity, mode: 'bungeeguard' }],
      want: 'legacy',
    },
    {
      it: 'modern if the admin has set it, whatever the game servers are',
      proxies: [{ ...velocity, mode: 'modern' }],
      games: [SPIGOT],
      want: 'modern',
    },
  ];
  it.each(cases)('is $it', ({ proxies, games = [], want }) => {
    const forwarding = forwardingOf({ proxies, gameServers: games }, 'S3');
    expect(forwarding?.kind ?? null).toBe(want);
    if (forwarding !== null) expect(forwarding).toMatchObject({ secret: 'S3', checked: true });
  });

  it('trusts the ids of players only if every proxy authenticates players', () => {
    const network = { proxies: [bungee, { ...velocity, checked: false }], gameServers: [] };
    expect(forwardingOf(network, 'S3')?.checked).toBe(false);
  });
});
