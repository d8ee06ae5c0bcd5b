package overworld.practice;

/** A client has 30 seconds from connecting to being in the game, as in vanilla; else its place is given up. */
final class PhaseDeadline {
    private static final long LIMIT_MS = 30_000;

    private final Connection connection;
    private final long endsAtMs = Clock.nowMs() + LIMIT_MS;

    PhaseDeadline(Connection connection) {
        this.connection = connection;
    }

    void check(long nowMs) {
        if (nowMs >= endsAtMs) {
            connection.disconnect("Took too long to log in");
        }
    }
}
