package net.md_5.bungee.api.event;

import net.md_5.bungee.api.connection.ProxiedPlayer;
import net.md_5.bungee.api.plugin.Event;

/** In newer versions the class extends AsyncEvent, which itself extends Event. */
public class PostLoginEvent extends Event {
    public native ProxiedPlayer getPlayer();
}
