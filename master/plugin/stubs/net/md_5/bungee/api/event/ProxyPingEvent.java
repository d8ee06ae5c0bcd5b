package net.md_5.bungee.api.event;

import net.md_5.bungee.api.ServerPing;

public class ProxyPingEvent extends AsyncEvent<ProxyPingEvent> {
    public native ServerPing getResponse();

    public native void setResponse(ServerPing response);
}
