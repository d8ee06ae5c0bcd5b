package overworld.practice;

/** A client has limited time (30 seconds, as in vanilla) from connecting to being in the game; then its place is given up. */
final class PhaseDeadline {
    private final Connection connection;
    private final long endsAtMs;

    PhaseDeadline(Connection connection, int limitMs) {
        this.connection = connection;
        this.endsAtMs = Clock.nowMs() + limitMs;
    }

    void check(long nowMs) {
        if (nowMs >= endsAtMs) {
            connection.disconnect("Took too long to log in");
        }
    }
}
