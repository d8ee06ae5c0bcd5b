package org.bukkit.plugin;

/** Whether a plugin is enabled before or after the worlds are loaded. */
public enum PluginLoadOrder {
    STARTUP,
    POSTWORLD
}
