package org.bukkit.plugin;

/** When a plugin is enabled: before or after there is a world. */
public enum PluginLoadOrder {
    STARTUP,
    POSTWORLD
}
