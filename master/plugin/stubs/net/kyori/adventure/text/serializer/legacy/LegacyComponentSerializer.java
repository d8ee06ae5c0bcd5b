package net.kyori.adventure.text.serializer.legacy;

import net.kyori.adventure.text.Component;
import net.kyori.adventure.text.TextComponent;

public interface LegacyComponentSerializer {
    static LegacyComponentSerializer legacySection() {
        throw new UnsupportedOperationException();
    }

    static Builder builder() {
        throw new UnsupportedOperationException();
    }

    TextComponent deserialize(String text);

    String serialize(Component component);

    interface Builder {
        Builder character(char legacyCharacter);

        Builder hexColors();

        Builder useUnusualXRepeatedCharacterHexFormat();

        LegacyComponentSerializer build();
    }
}
