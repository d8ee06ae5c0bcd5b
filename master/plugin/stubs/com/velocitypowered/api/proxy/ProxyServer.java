package com.velocitypowered.api.proxy;

import com.velocitypowered.api.command.CommandManager;
import com.velocitypowered.api.event.EventManager;
import com.velocitypowered.api.proxy.config.ProxyConfig;
import com.velocitypowered.api.proxy.server.RegisteredServer;
import com.velocitypowered.api.proxy.server.ServerInfo;
import com.velocitypowered.api.util.ProxyVersion;
import java.util.Collection;
import java.util.Optional;
import java.util.UUID;

public interface ProxyServer {
    Collection<Player> getAllPlayers();

    Optional<Player> getPlayer(UUID uuid);

    Optional<RegisteredServer> getServer(String name);

    RegisteredServer registerServer(ServerInfo server);

    void unregisterServer(ServerInfo server);

    EventManager getEventManager();

    CommandManager getCommandManager();

    ProxyConfig getConfiguration();

    ProxyVersion getVersion();
}
