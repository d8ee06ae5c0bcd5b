package overworld.practice.proxy;

import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * In place of Overworld's plugin: lets nobody in and says why, or, where a test wants the proxy alone, everybody, to the
 * first server of {@code priorities} in {@code config.yml} that is not the one just lost.
 */
final class StandInGate implements Gate {
    private final String whyClosed;
    private final ProxyConfig config;

    private StandInGate(String whyClosed, ProxyConfig config) {
        this.whyClosed = whyClosed;
        this.config = config;
    }

    /** @param why what players are told */
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
        return from + " was lost; you are on " + to + " now.";
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
        // Nobody counts.
    }

    @Override
    public void joined(UUID player, String name) {
        // Nobody counts.
    }

    @Override
    public void switched(UUID player, String server) {
        // Nobody counts.
    }

    @Override
    public void left(UUID player) {
        // Nobody counts.
    }

    @Override
    public void close() {
        // Nothing was opened.
    }
}
