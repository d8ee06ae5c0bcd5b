package overworld.practice;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;

/**
 * Loop of the server thread: accepts clients, serves all sockets without blocking, runs commands, and checks
 * deadlines. Only this thread uses the state of the game. Other threads may call {@link #execute} and {@link
 * #stop}.
 */
final class ServerLoop {
    private static final long TICK_MS = 1_000;
    private static final long FAREWELL_MS = 2_000;
    /** Number of connections in addition to the players: status pings and logins in progress. */
    private static final int SPARE_CONNECTIONS = 64;
    /**
     * Maximum number of connections that wait to be accepted. It is as large as on real servers, which use the
     * system's maximum, because a proxy may connect many players within milliseconds.
     */
    private static final int BACKLOG = 4_096;
    private static final int MAX_WAITING_COMMANDS = 1_024;

    private final ServerProperties properties;
    private final PlayerList players;
    private final Extension extension;
    private final Selector selector;
    private final BlockingQueue<Runnable> commands = new LinkedBlockingQueue<>(MAX_WAITING_COMMANDS);
    private ServerSocketChannel listener;
    private SelectionKey listenerKey;
    private volatile boolean stopping;

    ServerLoop(ServerProperties properties, PlayerList players, Extension extension) throws IOException {
        this.properties = properties;
        this.players = players;
        this.extension = extension;
        this.selector = Selector.open();
    }

    /**
     * Opens the port.
     *
     * @return the port; chosen by the system if the configured port is 0
     * @throws StartException if the address does not belong to this machine or is in use
     */
    int listen() throws StartException {
        String ip = properties.ip();
        InetSocketAddress address =
                ip.isEmpty() ? new InetSocketAddress(properties.port()) : new InetSocketAddress(ip, properties.port());
        try {
            listener = ServerSocketChannel.open();
            listener.configureBlocking(false);
            listener.bind(address, BACKLOG);
            listenerKey = listener.register(selector, SelectionKey.OP_ACCEPT);
            return listener.socket().getLocalPort();
        } catch (IOException | RuntimeException e) {
            // Java reports an unknown host name as an unchecked exception.
            throw new StartException("**** FAILED TO BIND TO PORT! Cannot listen on " + (ip.isEmpty() ? "*" : ip) + ":"
                    + properties.port() + ": " + e.getMessage()
                    + ". Perhaps a server is already running on that port?");
        }
    }

    /** Runs a command on the server thread soon. Blocks while too many commands are waiting. */
    void execute(Runnable command) throws InterruptedException {
        commands.put(command);
        selector.wakeup();
    }

    /** Makes {@link #run} or {@link #pause} return. */
    void stop() {
        stopping = true;
        selector.wakeup();
    }

    /**
     * Runs commands without accepting clients, until the duration has passed or the server is stopped.
     *
     * @param logEveryMs interval at which a line with the progress is logged (ms); 0 means never
     * @return false if the server was stopped
     */
    boolean pause(long durationMs, long logEveryMs) throws IOException {
        long endMs = Clock.nowMs() + durationMs;
        long nextLogMs = logEveryMs == 0 ? endMs : Clock.nowMs() + logEveryMs;
        for (long restMs = durationMs; restMs > 0 && !stopping; restMs = endMs - Clock.nowMs()) {
            selector.select(Math.max(1, Math.min(restMs, nextLogMs - Clock.nowMs())));
            runCommands();
            if (Clock.nowMs() >= nextLogMs && nextLogMs < endMs) {
                nextLogMs += logEveryMs;
                Log.info("Preparing spawn area: " + (100 - 100 * Math.max(0, endMs - Clock.nowMs()) / durationMs) + "%");
            }
        }
        return !stopping;
    }

    /** Serves clients until stopped, then disconnects all of them. */
    void run() throws IOException {
        long nextTickMs = Clock.nowMs() + TICK_MS;
        while (!stopping) {
            serve(Math.max(1, nextTickMs - Clock.nowMs()));
            runCommands();
            long nowMs = Clock.nowMs();
            if (nowMs >= nextTickMs) {
                nextTickMs = nowMs + TICK_MS;
                listenerKey.interestOps(SelectionKey.OP_ACCEPT);
                connections().forEach(connection -> connection.tick(nowMs));
                extension.tick();
            }
        }
        extension.stop();
        sayGoodbye();
    }

    private void sayGoodbye() throws IOException {
        listener.close();
        players.kickAll("Server closed");
        connections().forEach(connection -> connection.disconnect("Server closed"));
        long endMs = Clock.nowMs() + FAREWELL_MS;
        for (long restMs = FAREWELL_MS; restMs > 0 && !connections().isEmpty(); restMs = endMs - Clock.nowMs()) {
            serve(restMs);
        }
        connections().forEach(connection -> connection.close("Server closed"));
        selector.close();
    }

    private void runCommands() {
        for (Runnable command = commands.poll(); command != null; command = commands.poll()) {
            command.run();
        }
    }

    private void serve(long waitMs) throws IOException {
        selector.select(waitMs);
        for (SelectionKey key : selector.selectedKeys()) {
            if (key == listenerKey) {
                accept();
            } else {
                serve(key, (Connection) key.attachment());
            }
        }
        selector.selectedKeys().clear();
    }

    /**
     * Serves a client and catches exceptions. A bug while serving one client must not stop the server for all
     * clients.
     */
    private static void serve(SelectionKey key, Connection connection) {
        try {
            if (key.isValid() && key.isWritable()) {
                connection.flush();
            }
            if (key.isValid() && key.isReadable()) {
                connection.read();
            }
        } catch (RuntimeException e) {
            Log.error("Internal error while serving " + connection.address() + ": " + e);
            connection.close("Internal server error");
        }
    }

    private void accept() {
        try {
            SocketChannel channel = listener.accept();
            if (channel == null) {
                return;
            }
            if (selector.keys().size() > properties.maxPlayers() + SPARE_CONNECTIONS) {
                channel.close();
                return;
            }
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
            Connection connection = new Connection(channel, key);
            connection.setHandler(new Handshake(connection, players, properties));
            key.attach(connection);
        } catch (IOException e) {
            // Probably all file descriptors are in use. Until the next tick no connections are accepted, because
            // the loop would otherwise repeat the failing call without a pause.
            Log.warn("Could not accept a connection: " + e.getMessage());
            listenerKey.interestOps(0);
        }
    }

    private List<Connection> connections() {
        return selector.keys().stream()
                .filter(SelectionKey::isValid)
                .map(key -> (Connection) key.attachment())
                .filter(connection -> connection != null && !connection.isClosed())
                .collect(Collectors.toList());
    }
}
