package com.velocitypowered.api.proxy.config;

import java.util.List;
import java.util.Map;

public interface ProxyConfig {
    Map<String, List<String>> getForcedHosts();
}
