package overworld.practice.proxy;

import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * Gate for a proxy without Overworld's plugin: refuses all players, with the reason. For tests of the proxy alone, it
 * lets all players join instead. They are sent to the first server of {@code priorities} in {@code config.yml} that
 * they have not just lost.
 */
final class StandInGate implements Gate {
    private final String whyClosed;
    private final ProxyConfig config;

    private StandInGate(String whyClosed, ProxyConfig config) {
        this.whyClosed = whyClosed;
        this.config = config;
    }

    /**
     * Returns a gate that refuses all players.
     *
     * @param why the message for players
     */
    static Gate closed(String why, ProxyConfig config) {
        return new StandInGate(why, config);
    }

    static Gate open(ProxyConfig config) {
        return new StandInGate(null, config);
    }

    @Override
    public CompletableFuture<Optional<String>> login(UUID player, String name) {
        return CompletableFuture.completedFuture(Optional.ofNullable(whyClosed));
    }

    @Override
    public Optional<String> firstServer(UUID player, Predicate<String> permission) {
        return config.priorities.stream().findFirst();
    }

    @Override
    public Optional<String> fallback(UUID player, String from, Predicate<String> permission) {
        return config.priorities.stream().filter(name -> !name.equals(from)).findFirst();
    }

    @Override
    public Optional<String> refusal(UUID player, String server, Predicate<String> permission) {
        return Optional.empty();
    }

    @Override
    public boolean knowsNetwork() {
        return false;
    }

    @Override
    public int online() {
        return 0;
    }

    @Override
    public int limit() {
        return config.maxPlayers;
    }

    @Override
    public String noServer() {
        return "There is no server to join.";
    }

    @Override
    public String lost(String server) {
        return server + " was lost.";
    }

    @Override
    public String moved(String from, String to) {
        return from + " was lost; you are now on " + to + ".";
    }

    @Override
    public String movedAfterKick(String from, String to, String reason) {
        return "You were moved from " + from + " to " + to + ": " + reason;
    }

    @Override
    public void command(Asker asker, String[] arguments) {
        asker.answer.accept("Overworld's plugin is not here.");
    }

    @Override
    public void loginEnded(UUID player) {
        // Players are not counted here.
    }

    @Override
    public void joined(UUID player, String name) {
        // Players are not counted here.
    }

    @Override
    public void switched(UUID player, String server) {
        // Players are not counted here.
    }

    @Override
    public void left(UUID player) {
        // Players are not counted here.
    }

    @Override
    public void close() {
        // There is nothing to close.
    }
}
