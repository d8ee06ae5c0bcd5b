package net.md_5.bungee.api.plugin;

import java.io.File;
import java.util.logging.Logger;
import net.md_5.bungee.api.ProxyServer;

public class Plugin {
    public native void onLoad();

    public native void onEnable();

    public native void onDisable();

    public final native File getDataFolder();

    public native ProxyServer getProxy();

    public native Logger getLogger();

    public native PluginDescription getDescription();
}
