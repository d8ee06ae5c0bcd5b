package net.md_5.bungee.api.event;

import net.md_5.bungee.api.plugin.Event;

public class ProxyReloadEvent extends Event {}
