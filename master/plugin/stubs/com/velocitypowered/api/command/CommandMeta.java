package com.velocitypowered.api.command;

public interface CommandMeta {
    interface Builder {
        Builder plugin(Object plugin);

        CommandMeta build();
    }
}
