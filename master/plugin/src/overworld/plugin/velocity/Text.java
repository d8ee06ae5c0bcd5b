package overworld.plugin.velocity;

import net.kyori.adventure.text.Component;
import net.kyori.adventure.text.serializer.legacy.LegacyComponentSerializer;
import overworld.plugin.adapter.MoveTexts;

/** Converts texts of the core to Velocity's components. */
final class Text {
    /** Writes colours that have no code, such as {@code #ff8800}, as Spigot and BungeeCord do. */
    private static final LegacyComponentSerializer SERIALIZER = LegacyComponentSerializer.builder()
            .character('\u00a7')
            .hexColors()
            .useUnusualXRepeatedCharacterHexFormat()
            .build();

    private Text() {}

    /**
     * Converts a text to a component.
     *
     * @param text with section-sign colour codes
     */
    static Component of(String text) {
        return SERIALIZER.deserialize(text);
    }

    /**
     * Converts a component to text.
     *
     * @return the text with section-sign colour codes
     */
    static String from(Component component) {
        return SERIALIZER.serialize(component);
    }

    /**
     * Inserts a message of another server into a text.
     *
     * @param text with {@link MoveTexts#PLACE} where the message is inserted; without the placeholder the message is
     *     omitted
     */
    static Component around(String text, Component words) {
        int at = text.indexOf(MoveTexts.PLACE);
        if (at < 0) {
            return of(text);
        }
        return Component.empty()
                .append(of(text.substring(0, at)))
                .append(words)
                .append(of(text.substring(at + MoveTexts.PLACE.length())));
    }
}
