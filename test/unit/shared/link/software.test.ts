import { describe, expect, it } from 'vitest';
import { isGameServerSoftware, softwareFamily, takesPlugin } from '#shared/link/software.ts';

describe('the software family of a server.jar', () => {
  it.each([
    ['BungeeCord 1.21-R0.1', 'bungeecord'],
    ['net.md_5.bungee.Bootstrap', 'bungeecord'],
    ['Waterfall 1.20', 'bungeecord'],
    ['Overworld practice proxy 0.1.0', 'bungeecord'],
    ['Velocity 3.4.0', 'velocity'],
    ['com.velocitypowered.proxy.Velocity', 'velocity'],
    ['Velocity 3.4.0-SNAPSHOT (git-1a2b3c4d-b400)', 'velocity'],
    ['io.papermc.paperclip.Main', 'paper'],
    ['com.destroystokyo.paperclip.Paperclip', 'paper'],
    ['org.leavesmc.leavesclip.Main', 'paper'],
    ['CraftBukkit git-Paper-778', 'paper'],
    ['CraftBukkit git-Spigot-db6de12-18fbb24', 'bukkit'],
    ['org.bukkit.craftbukkit.Main', 'bukkit'],
    ['org.bukkit.craftbukkit.bootstrap.Main', 'bukkit'],
    ['Mohist 1.20.1', 'bukkit'],
    ['Overworld practice server 0.1.0', 'practice'],
    ['net.fabricmc.installer.ServerLauncher', 'other'],
    ['net.minecraft.server.MinecraftServer', 'other'],
    ['net.minecraft.bundler.Main', 'other'],
    [null, 'other'],
  ] as const)('is for %s: %s', (software, family) => {
    expect(softwareFamily(software)).toBe(family);
  });

  it.each([
    ['io.papermc.paperclip.Main', true],
    ['CraftBukkit git-Spigot-db6de12-18fbb24', true],
    ['Overworld practice server 0.1.0', true],
    ['net.minecraft.server.MinecraftServer', true],
    ['net.minecraft.bundler.Main', true],
    ['net.fabricmc.installer.ServerLauncher', true],
    ['org.quiltmc.loader.impl.launch.server.QuiltServerLauncher', true],
    ['net.minecraftforge.bootstrap.shim.Main', true],
    ['net.neoforged.serverstarterjar.Main', true],
    ['SpongeVanilla 1.12.2-7.4.7', true],
    ['Velocity 3.4.0', false],
    ['Waterfall 1.20', false],
    ['Overworld practice proxy 0.1.0', false],
    ['HexaCord', false],
    [null, false],
  ] as const)('for %s shows that it is a game server: %s', (software, known) => {
    expect(isGameServerSoftware(software)).toBe(known);
  });

  it('determines whether a service gets the plugin: proxies and Bukkit servers get it', () => {
    expect(takesPlugin({ isProxy: true, software: null })).toBe(true);
    expect(takesPlugin({ isProxy: false, software: 'Paper 1.21.4' })).toBe(true);
    expect(takesPlugin({ isProxy: false, software: 'net.minecraft.bundler.Main' })).toBe(false);
    expect(takesPlugin({ isProxy: false, software: null })).toBe(false);
  });
});
