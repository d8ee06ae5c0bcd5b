package com.velocitypowered.api.event.player;

import com.velocitypowered.api.proxy.Player;
import com.velocitypowered.api.proxy.server.RegisteredServer;

public final class ServerConnectedEvent {
    public native Player getPlayer();

    public native RegisteredServer getServer();
}
