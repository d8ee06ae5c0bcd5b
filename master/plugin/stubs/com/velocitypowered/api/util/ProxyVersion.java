package com.velocitypowered.api.util;

public final class ProxyVersion {
    public native String getName();

    public native String getVersion();
}
