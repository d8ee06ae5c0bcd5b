package org.bukkit.plugin;

public final class PluginDescriptionFile {
    public native String getVersion();
}
