package net.md_5.bungee.api.connection;

import java.net.InetSocketAddress;
import java.util.UUID;
import net.md_5.bungee.api.config.ListenerInfo;

public interface PendingConnection extends Connection {
    String getName();

    InetSocketAddress getVirtualHost();

    ListenerInfo getListener();

    UUID getUniqueId();
}
