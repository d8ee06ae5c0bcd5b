package com.velocitypowered.api.proxy.server;

public final class ServerPing {
    public native Builder asBuilder();

    public static final class Builder {
        public native Builder onlinePlayers(int players);

        public native Builder maximumPlayers(int players);

        public native ServerPing build();
    }
}
