import { describe, expect, it } from 'vitest';
import { softwareFamily, takesPlugin } from '#shared/link/software.ts';

describe('the family of a server.jar', () => {
  it.each([
    ['BungeeCord 1.21-R0.1', 'bungeecord'],
    ['net.md_5.bungee.Bootstrap', 'bungeecord'],
    ['Waterfall 1.20', 'bungeecord'],
    ['Overworld practice proxy 0.1.0', 'bungeecord'],
    ['Velocity 3.4.0', 'velocity'],
    ['com.velocitypowered.proxy.Velocity', 'velocity'],
    ['io.papermc.paperclip.Main', 'bukkit'],
    ['CraftBukkit 4.1', 'bukkit'],
    ['Overworld practice server 0.1.0', 'other'],
    ['net.minecraft.bundler.Main', 'other'],
    [null, 'other'],
  ] as const)('of %s is %s', (software, family) => {
    expect(softwareFamily(software)).toBe(family);
  });

  it('says who takes the plugin: every proxy, and of game servers those that run Bukkit plugins', () => {
    expect(takesPlugin({ isProxy: true, software: null })).toBe(true);
    expect(takesPlugin({ isProxy: false, software: 'Paper 1.21.4' })).toBe(true);
    expect(takesPlugin({ isProxy: false, software: 'net.minecraft.bundler.Main' })).toBe(false);
    expect(takesPlugin({ isProxy: false, software: null })).toBe(false);
  });
});
