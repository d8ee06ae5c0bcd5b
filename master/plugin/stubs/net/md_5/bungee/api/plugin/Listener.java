package net.md_5.bungee.api.plugin;

public interface Listener {}
