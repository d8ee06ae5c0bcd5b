package net.md_5.bungee.api.event;

import net.md_5.bungee.api.plugin.Event;
import net.md_5.bungee.api.plugin.Plugin;

public class AsyncEvent<T> extends Event {
    public native void registerIntent(Plugin plugin);

    public native void completeIntent(Plugin plugin);
}
