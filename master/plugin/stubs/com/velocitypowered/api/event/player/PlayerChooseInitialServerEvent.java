package com.velocitypowered.api.event.player;

import com.velocitypowered.api.proxy.Player;
import com.velocitypowered.api.proxy.server.RegisteredServer;
import java.util.Optional;

public class PlayerChooseInitialServerEvent {
    public native Player getPlayer();

    public native Optional<RegisteredServer> getInitialServer();

    public native void setInitialServer(RegisteredServer server);
}
