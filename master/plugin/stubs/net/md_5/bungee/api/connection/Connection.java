package net.md_5.bungee.api.connection;

import java.net.SocketAddress;
import net.md_5.bungee.api.chat.BaseComponent;

public interface Connection {
    SocketAddress getSocketAddress();

    void disconnect(BaseComponent... reason);

    boolean isConnected();
}
