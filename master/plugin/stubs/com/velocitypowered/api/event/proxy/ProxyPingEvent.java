package com.velocitypowered.api.event.proxy;

import com.velocitypowered.api.proxy.server.ServerPing;

public final class ProxyPingEvent {
    public native ServerPing getPing();

    public native void setPing(ServerPing ping);
}
