package net.md_5.bungee.api.config;

import java.net.SocketAddress;
import java.util.Collection;
import net.md_5.bungee.api.connection.ProxiedPlayer;

public interface ServerInfo {
    String getName();

    SocketAddress getSocketAddress();

    String getMotd();

    boolean isRestricted();

    Collection<ProxiedPlayer> getPlayers();
}
