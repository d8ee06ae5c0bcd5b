package overworld.plugin.adapter;

import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import overworld.plugin.adapter.Journeys.Journey;
import overworld.plugin.core.ProxyCore;
import overworld.plugin.core.messages.MessageKey;

/**
 * Texts that tell players why they are on another server, or on none.
 *
 * @param <T> the proxy's type of a text
 */
public final class MoveTexts<T> {
    /** Placeholder in a text for the message of another server. The inserted message keeps its colours. */
    public static final String PLACE = "\u0000";

    private final ProxyCore core;
    private final Function<String, T> convert;
    private final BiFunction<String, T, T> insert;

    /**
     * Creates the texts.
     *
     * @param convert converts a text with section-sign colour codes
     * @param insert converts such a text, and inserts a message of another server at {@link #PLACE}
     */
    public MoveTexts(ProxyCore core, Function<String, T> convert, BiFunction<String, T, T> insert) {
        this.core = core;
        this.convert = convert;
        this.insert = insert;
    }

    /**
     * Returns the text for a player who has been moved to a server.
     *
     * @return empty for a player who has just joined, because this player need not know which servers were tried
     */
    public Optional<T> moved(Journey<T> journey, String to) {
        if (journey.from() == null) {
            return Optional.empty();
        }
        return Optional.of(journey.reason()
                .map(reason -> insert.apply(core.text(MessageKey.KICKED, journey.from(), to, PLACE), reason))
                .orElseGet(() -> convert.apply(core.text(MessageKey.LOST, journey.from(), to))));
    }

    /**
     * Returns the text for a player for whom no server is left.
     *
     * @param refusal what the last server said; null if it said nothing. It is shown only to a player who has just
     *     joined, because other players want to know why they lost their server
     */
    public T noServer(Journey<T> journey, T refusal) {
        if (journey.from() == null) {
            return refusal != null ? refusal : convert.apply(core.text(MessageKey.NO_SERVER));
        }
        return journey.reason()
                .orElseGet(() -> convert.apply(core.text(MessageKey.LOST_NO_SERVER, journey.from())));
    }
}
