package net.md_5.bungee.api.event;

import net.md_5.bungee.api.connection.ProxiedPlayer;
import net.md_5.bungee.api.plugin.Event;

/** Newer versions make it an AsyncEvent; in all of them it is an Event. */
public class PostLoginEvent extends Event {
    public native ProxiedPlayer getPlayer();
}
