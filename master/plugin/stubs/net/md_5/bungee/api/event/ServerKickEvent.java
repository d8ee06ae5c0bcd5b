package net.md_5.bungee.api.event;

import net.md_5.bungee.api.chat.BaseComponent;
import net.md_5.bungee.api.config.ServerInfo;
import net.md_5.bungee.api.connection.ProxiedPlayer;
import net.md_5.bungee.api.plugin.Cancellable;
import net.md_5.bungee.api.plugin.Event;

public class ServerKickEvent extends Event implements Cancellable {
    public native ProxiedPlayer getPlayer();

    public native ServerInfo getKickedFrom();

    public native State getState();

    public native ServerInfo getCancelServer();

    public native void setCancelServer(ServerInfo server);

    public native BaseComponent[] getKickReasonComponent();

    public native void setKickReasonComponent(BaseComponent[] reason);

    @Override
    public native boolean isCancelled();

    @Override
    public native void setCancelled(boolean cancel);

    public enum State {
        CONNECTING,
        CONNECTED,
        UNKNOWN
    }
}
