package net.md_5.bungee.api.event;

import net.md_5.bungee.api.connection.ProxiedPlayer;
import net.md_5.bungee.api.plugin.Event;

public class PlayerDisconnectEvent extends Event {
    public native ProxiedPlayer getPlayer();
}
