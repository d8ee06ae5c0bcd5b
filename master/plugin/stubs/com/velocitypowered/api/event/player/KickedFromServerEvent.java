package com.velocitypowered.api.event.player;

import com.velocitypowered.api.event.ResultedEvent;
import com.velocitypowered.api.proxy.Player;
import com.velocitypowered.api.proxy.server.RegisteredServer;
import java.util.Optional;
import net.kyori.adventure.text.Component;

public final class KickedFromServerEvent
        implements ResultedEvent<KickedFromServerEvent.ServerKickResult> {
    public native Player getPlayer();

    public native RegisteredServer getServer();

    public native Optional<Component> getServerKickReason();

    public native boolean kickedDuringServerConnect();

    @Override
    public native ServerKickResult getResult();

    @Override
    public native void setResult(ServerKickResult result);

    public interface ServerKickResult extends ResultedEvent.Result {}

    public static final class DisconnectPlayer implements ServerKickResult {
        public static native DisconnectPlayer create(Component reason);

        @Override
        public native boolean isAllowed();
    }

    public static final class RedirectPlayer implements ServerKickResult {
        public static native RedirectPlayer create(RegisteredServer server, Component message);

        public static native ServerKickResult create(RegisteredServer server);

        @Override
        public native boolean isAllowed();
    }
}
