package overworld.plugin.core;

/** Overworld's part in a game server: tells the master how many players are on it and whether it is in use. */
public final class ServerCore implements AutoCloseable {
    private ServerCore() {}

    /** Starts it. Without a hand-over file that is said once in the log, and nothing else is done. */
    public static ServerCore start(ServerPlatform platform) {
        throw new UnsupportedOperationException(platform.kind());
    }

    /** Whether there was a hand-over file. */
    public boolean active() {
        throw new UnsupportedOperationException();
    }

    /** Who is on it now; only changes travel. May be called as often as one likes, from any thread. */
    public void count(int online, int max) {
        throw new UnsupportedOperationException();
    }

    /** Ends the link and all threads. */
    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
