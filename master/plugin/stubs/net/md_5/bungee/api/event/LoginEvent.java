package net.md_5.bungee.api.event;

import net.md_5.bungee.api.chat.BaseComponent;
import net.md_5.bungee.api.connection.PendingConnection;
import net.md_5.bungee.api.plugin.Cancellable;

public class LoginEvent extends AsyncEvent<LoginEvent> implements Cancellable {
    public native PendingConnection getConnection();

    public native void setCancelReason(BaseComponent... reason);

    @Override
    public native boolean isCancelled();

    @Override
    public native void setCancelled(boolean cancel);
}
