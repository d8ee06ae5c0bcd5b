package net.md_5.bungee.api.config;

import java.util.List;
import java.util.Map;

public class ListenerInfo {
    public native List<String> getServerPriority();

    public native Map<String, String> getForcedHosts();
}
