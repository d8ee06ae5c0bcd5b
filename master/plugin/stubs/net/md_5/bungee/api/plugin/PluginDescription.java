package net.md_5.bungee.api.plugin;

public class PluginDescription {
    public native String getVersion();
}
