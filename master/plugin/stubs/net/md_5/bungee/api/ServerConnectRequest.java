package net.md_5.bungee.api;

import net.md_5.bungee.api.config.ServerInfo;
import net.md_5.bungee.api.event.ServerConnectEvent;

public class ServerConnectRequest {
    public static native Builder builder();

    public static class Builder {
        public native Builder target(ServerInfo target);

        public native Builder reason(ServerConnectEvent.Reason reason);

        public native Builder retry(boolean retry);

        public native ServerConnectRequest build();
    }
}
