package net.kyori.adventure.audience;

import net.kyori.adventure.text.Component;

public interface Audience {
    default void sendMessage(Component message) {
        throw new UnsupportedOperationException();
    }
}
