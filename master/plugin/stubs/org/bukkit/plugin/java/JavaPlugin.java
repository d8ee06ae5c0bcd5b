package org.bukkit.plugin.java;

import java.util.logging.Logger;
import org.bukkit.Server;
import org.bukkit.plugin.Plugin;

public abstract class JavaPlugin implements Plugin {
    public native void onEnable();

    public native void onDisable();

    public final native Server getServer();

    public native Logger getLogger();
}
