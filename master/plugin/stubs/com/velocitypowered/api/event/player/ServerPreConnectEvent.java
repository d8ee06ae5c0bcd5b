package com.velocitypowered.api.event.player;

import com.velocitypowered.api.event.ResultedEvent;
import com.velocitypowered.api.proxy.Player;
import com.velocitypowered.api.proxy.server.RegisteredServer;
import java.util.Optional;

public final class ServerPreConnectEvent
        implements ResultedEvent<ServerPreConnectEvent.ServerResult> {
    public native Player getPlayer();

    public native RegisteredServer getOriginalServer();

    @Override
    public native ServerResult getResult();

    @Override
    public native void setResult(ServerResult result);

    public static class ServerResult implements ResultedEvent.Result {
        public static native ServerResult denied();

        public static native ServerResult allowed(RegisteredServer server);

        @Override
        public native boolean isAllowed();

        public native Optional<RegisteredServer> getServer();
    }
}
