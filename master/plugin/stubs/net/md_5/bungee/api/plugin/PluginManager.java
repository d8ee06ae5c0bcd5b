package net.md_5.bungee.api.plugin;

public final class PluginManager {
    public native <T extends Event> T callEvent(T event);

    public native void registerListener(Plugin plugin, Listener listener);

    public native void unregisterListeners(Plugin plugin);

    public native void registerCommand(Plugin plugin, Command command);

    public native void unregisterCommands(Plugin plugin);
}
