package overworld.plugin.bungee;

import java.util.stream.Stream;
import net.md_5.bungee.api.chat.BaseComponent;
import net.md_5.bungee.api.chat.TextComponent;
import overworld.plugin.adapter.MoveTexts;

/** Converts texts of the core to BungeeCord's components. */
final class Text {
    private Text() {}

    /**
     * Converts a text to components.
     *
     * @param text with section-sign colour codes
     */
    static BaseComponent[] of(String text) {
        return TextComponent.fromLegacyText(text);
    }

    /**
     * Inserts a message of another server into a text.
     *
     * @param text with {@link MoveTexts#PLACE} where the message is inserted; without the placeholder the message is
     *     omitted
     */
    static BaseComponent[] around(String text, BaseComponent[] words) {
        int at = text.indexOf(MoveTexts.PLACE);
        if (at < 0) {
            return of(text);
        }
        return Stream.of(of(text.substring(0, at)), words, of(text.substring(at + MoveTexts.PLACE.length())))
                .flatMap(Stream::of)
                .toArray(BaseComponent[]::new);
    }
}
