package overworld.practice.proxy;

import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Decides which players may join and to which server they are sent. Usually Overworld's plugin decides; without it,
 * no player may join, or {@code config.yml} decides. The proxy thread calls all methods, and they return immediately.
 */
public interface Gate extends AutoCloseable {
    /**
     * Decides whether a player may join.
     *
     * @return a future that any thread may complete: the reason why the player may not join; empty if the player may
     */
    CompletableFuture<Optional<String>> login(UUID player, String name);

    /** Reports that a player who was allowed to log in disconnected before joining. */
    void loginEnded(UUID player);

    void joined(UUID player, String name);

    /**
     * Reports the server that a player is on.
     *
     * @param server null if the player is on none
     */
    void switched(UUID player, String server);

    void left(UUID player);

    /** Returns the server for a player who has just joined; empty if there is none. */
    Optional<String> firstServer(UUID player, Predicate<String> permission);

    /**
     * Returns the next server for a player who lost a server or could not enter it; empty if there is none.
     *
     * @param from the server that the player lost or could not enter
     */
    Optional<String> fallback(UUID player, String from, Predicate<String> permission);

    /** Returns the reason why a player may not enter a server; empty if the player may. */
    Optional<String> refusal(UUID player, String server, Predicate<String> permission);

    /** Returns whether the player number and limit of the network are known. */
    boolean knowsNetwork();

    int online();

    int limit();

    /** Returns the message for a player for whom there is no server. */
    String noServer();

    /** Returns the message for a player whose server was lost and for whom there is no other server. */
    String lost(String server);

    /** Returns the message for a player who was moved because the server was lost. */
    String moved(String from, String to);

    /** Returns the message for a player who was moved after a kick. */
    String movedAfterKick(String from, String to, String reason);

    /** Runs {@code /cloud}. */
    void command(Asker asker, String[] arguments);

    @Override
    void close();

    /** The player or console that typed {@code /cloud}. */
    final class Asker {
        public final String name;
        /** The player; null for the console. */
        public final UUID player;
        public final Predicate<String> permission;
        /** Shows a line to the player or on the console. May be called from any thread. */
        public final Consumer<String> answer;

        public Asker(String name, UUID player, Predicate<String> permission, Consumer<String> answer) {
            this.name = name;
            this.player = player;
            this.permission = permission;
            this.answer = answer;
        }
    }
}
