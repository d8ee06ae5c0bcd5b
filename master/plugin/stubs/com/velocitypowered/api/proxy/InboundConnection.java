package com.velocitypowered.api.proxy;

import java.net.InetSocketAddress;
import java.util.Optional;

public interface InboundConnection {
    Optional<InetSocketAddress> getVirtualHost();
}
