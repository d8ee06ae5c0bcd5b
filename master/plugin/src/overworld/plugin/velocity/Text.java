package overworld.plugin.velocity;

import net.kyori.adventure.text.Component;
import net.kyori.adventure.text.serializer.legacy.LegacyComponentSerializer;

/** Words of the core as Velocity shows them. */
final class Text {
    /** Stands for a place in a text that is filled with another server's own words, colours and all. */
    static final String PLACE = "\u0000";

    private Text() {}

    /** @param text with section-sign colour codes */
    static Component of(String text) {
        return LegacyComponentSerializer.legacySection().deserialize(text);
    }

    /** @return the words with section-sign colour codes */
    static String from(Component component) {
        return LegacyComponentSerializer.legacySection().serialize(component);
    }

    /** @param text with {@link #PLACE} where the words belong; without it they are left out */
    static Component around(String text, Component words) {
        int at = text.indexOf(PLACE);
        if (at < 0) {
            return of(text);
        }
        return Component.empty()
                .append(of(text.substring(0, at)))
                .append(words)
                .append(of(text.substring(at + PLACE.length())));
    }
}
