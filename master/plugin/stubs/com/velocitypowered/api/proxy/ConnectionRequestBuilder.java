package com.velocitypowered.api.proxy;

import java.util.concurrent.CompletableFuture;

public interface ConnectionRequestBuilder {
    CompletableFuture<Boolean> connectWithIndication();

    void fireAndForget();
}
