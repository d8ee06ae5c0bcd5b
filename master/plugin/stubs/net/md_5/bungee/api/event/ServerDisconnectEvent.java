package net.md_5.bungee.api.event;

import net.md_5.bungee.api.config.ServerInfo;
import net.md_5.bungee.api.connection.ProxiedPlayer;
import net.md_5.bungee.api.plugin.Event;

public class ServerDisconnectEvent extends Event {
    public native ProxiedPlayer getPlayer();

    public native ServerInfo getTarget();
}
