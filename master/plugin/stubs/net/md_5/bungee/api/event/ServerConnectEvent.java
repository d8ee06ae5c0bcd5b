package net.md_5.bungee.api.event;

import net.md_5.bungee.api.config.ServerInfo;
import net.md_5.bungee.api.connection.ProxiedPlayer;
import net.md_5.bungee.api.plugin.Cancellable;
import net.md_5.bungee.api.plugin.Event;

public class ServerConnectEvent extends Event implements Cancellable {
    public native ProxiedPlayer getPlayer();

    public native ServerInfo getTarget();

    public native void setTarget(ServerInfo target);

    public native Reason getReason();

    @Override
    public native boolean isCancelled();

    @Override
    public native void setCancelled(boolean cancel);

    public enum Reason {
        LOBBY_FALLBACK,
        COMMAND,
        SERVER_DOWN_REDIRECT,
        KICK_REDIRECT,
        PLUGIN_MESSAGE,
        JOIN_PROXY,
        PLUGIN,
        UNKNOWN
    }
}
