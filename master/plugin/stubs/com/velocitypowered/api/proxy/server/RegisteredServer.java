package com.velocitypowered.api.proxy.server;

public interface RegisteredServer {
    ServerInfo getServerInfo();
}
