package com.velocitypowered.api.proxy.server;

import java.net.InetSocketAddress;

public final class ServerInfo {
    public ServerInfo(String name, InetSocketAddress address) {}

    public native String getName();

    public native InetSocketAddress getAddress();
}
