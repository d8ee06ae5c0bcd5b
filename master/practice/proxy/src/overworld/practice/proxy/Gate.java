package overworld.practice.proxy;

import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Who may come in, and where to. Overworld's plugin, as a rule; in its place what {@code config.yml} says, or nobody. All
 * methods are called by the proxy thread, and answer at once.
 */
public interface Gate extends AutoCloseable {
    /** @return completed from any thread: why the player may not come in, or nothing */
    CompletableFuture<Optional<String>> login(UUID player, String name);

    /** A player who was allowed to log in is gone before having joined. */
    void loginEnded(UUID player);

    void joined(UUID player, String name);

    /** @param server null: on none */
    void switched(UUID player, String server);

    void left(UUID player);

    /** The server for a player who has just been let in. */
    Optional<String> firstServer(UUID player, Predicate<String> permission);

    /** The server for a player who lost one, or could not enter it. */
    Optional<String> fallback(UUID player, String from, Predicate<String> permission);

    /** Why a player may not go to a server, or nothing. */
    Optional<String> refusal(UUID player, String server, Predicate<String> permission);

    /** The network's numbers are known. */
    boolean knowsNetwork();

    int online();

    int limit();

    /** What a player is told who finds no server. */
    String noServer();

    /** Message for a player whose server was lost and for whom no other server is available. */
    String lost(String server);

    /** What a player is told who was moved as the server has gone. */
    String moved(String from, String to);

    /** What a player is told who was moved after a kick. */
    String movedAfterKick(String from, String to, String reason);

    /** Carries out {@code /cloud}. */
    void command(Asker asker, String[] arguments);

    @Override
    void close();

    /** Who typed {@code /cloud}. */
    final class Asker {
        public final String name;
        /** Null if the sender is the console. */
        public final UUID player;
        public final Predicate<String> permission;
        /** Shows a line; from any thread. */
        public final Consumer<String> answer;

        public Asker(String name, UUID player, Predicate<String> permission, Consumer<String> answer) {
            this.name = name;
            this.player = player;
            this.permission = permission;
            this.answer = answer;
        }
    }
}
