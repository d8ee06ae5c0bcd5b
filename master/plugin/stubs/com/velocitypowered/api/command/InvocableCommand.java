package com.velocitypowered.api.command;

import java.util.List;

public interface InvocableCommand<I extends CommandInvocation<?>> extends Command {
    void execute(I invocation);

    default List<String> suggest(I invocation) {
        throw new UnsupportedOperationException();
    }

    default boolean hasPermission(I invocation) {
        throw new UnsupportedOperationException();
    }
}
