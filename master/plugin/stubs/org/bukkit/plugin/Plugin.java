package org.bukkit.plugin;

public interface Plugin {}
