package overworld.plugin.bungee;

import java.util.stream.Stream;
import net.md_5.bungee.api.chat.BaseComponent;
import net.md_5.bungee.api.chat.TextComponent;

/** Words of the core as BungeeCord shows them. */
final class Text {
    /** Stands for a place in a text that is filled with another server's own words, colours and all. */
    static final String PLACE = "\u0000";

    private Text() {}

    /** @param text with section-sign colour codes */
    static BaseComponent[] of(String text) {
        return TextComponent.fromLegacyText(text);
    }

    /** @param text with {@link #PLACE} where the words belong; without it they are left out */
    static BaseComponent[] around(String text, BaseComponent[] words) {
        int at = text.indexOf(PLACE);
        if (at < 0) {
            return of(text);
        }
        return Stream.of(of(text.substring(0, at)), words, of(text.substring(at + PLACE.length())))
                .flatMap(Stream::of)
                .toArray(BaseComponent[]::new);
    }
}
