package com.velocitypowered.api.event.connection;

import com.velocitypowered.api.proxy.Player;

public final class PostLoginEvent {
    public native Player getPlayer();
}
