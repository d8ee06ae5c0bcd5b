package com.velocitypowered.api.proxy;

import com.velocitypowered.api.proxy.server.ServerInfo;

public interface ServerConnection {
    ServerInfo getServerInfo();
}
