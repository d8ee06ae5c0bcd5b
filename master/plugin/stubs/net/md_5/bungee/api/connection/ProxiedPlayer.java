package net.md_5.bungee.api.connection;

import java.util.UUID;
import net.md_5.bungee.api.CommandSender;
import net.md_5.bungee.api.ServerConnectRequest;
import net.md_5.bungee.api.config.ServerInfo;

public interface ProxiedPlayer extends Connection, CommandSender {
    void connect(ServerInfo target);

    void connect(ServerConnectRequest request);

    Server getServer();

    UUID getUniqueId();

    PendingConnection getPendingConnection();
}
