package net.md_5.bungee.api;

import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Map;
import java.util.UUID;
import net.md_5.bungee.api.config.ConfigurationAdapter;
import net.md_5.bungee.api.config.ServerInfo;
import net.md_5.bungee.api.connection.ProxiedPlayer;
import net.md_5.bungee.api.plugin.PluginManager;
import net.md_5.bungee.api.scheduler.TaskScheduler;

public abstract class ProxyServer {
    public static native ProxyServer getInstance();

    public abstract String getName();

    public abstract String getVersion();

    public abstract ProxyConfig getConfig();

    public abstract ConfigurationAdapter getConfigurationAdapter();

    public abstract Map<String, ServerInfo> getServers();

    public abstract ServerInfo getServerInfo(String name);

    public abstract ServerInfo constructServerInfo(
            String name, InetSocketAddress address, String motd, boolean restricted);

    public abstract Collection<ProxiedPlayer> getPlayers();

    public abstract ProxiedPlayer getPlayer(UUID uuid);

    public abstract PluginManager getPluginManager();

    public abstract TaskScheduler getScheduler();
}
