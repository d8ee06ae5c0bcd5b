package net.md_5.bungee.api;

import java.util.Collection;
import net.md_5.bungee.api.config.ListenerInfo;

public interface ProxyConfig {
    Collection<ListenerInfo> getListeners();
}
