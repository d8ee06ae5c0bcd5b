package com.velocitypowered.api.event;

import java.util.concurrent.CompletableFuture;

public interface EventTask {
    static EventTask async(Runnable task) {
        throw new UnsupportedOperationException();
    }

    static EventTask resumeWhenComplete(CompletableFuture<?> future) {
        throw new UnsupportedOperationException();
    }
}
