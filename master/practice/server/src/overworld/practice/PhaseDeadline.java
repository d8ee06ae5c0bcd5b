package overworld.practice;

/**
 * Deadline for logging in: disconnects a client that has not joined within the limit after connecting. The default is
 * 30 seconds, as on a vanilla server.
 */
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
