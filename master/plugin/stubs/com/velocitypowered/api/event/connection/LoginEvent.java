package com.velocitypowered.api.event.connection;

import com.velocitypowered.api.event.ResultedEvent;
import com.velocitypowered.api.proxy.Player;

public final class LoginEvent implements ResultedEvent<ResultedEvent.ComponentResult> {
    public native Player getPlayer();

    @Override
    public native ResultedEvent.ComponentResult getResult();

    @Override
    public native void setResult(ResultedEvent.ComponentResult result);
}
