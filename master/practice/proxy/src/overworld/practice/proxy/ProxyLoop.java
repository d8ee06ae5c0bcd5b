package overworld.practice.proxy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import overworld.practice.Clock;
import overworld.practice.Log;
import overworld.practice.StartException;

/**
 * Loop of the proxy thread: accepts and opens connections, serves all sockets without blocking, runs tasks, and
 * checks deadlines. Only this thread uses the state of players. Other threads may call {@link #execute} and {@link
 * #stop}.
 */
final class ProxyLoop {
    private static final long TICK_MS = 1_000;
    private static final long FAREWELL_MS = 2_000;
    /** Maximum number of connections. It is enough for both sides (client and game server) of thousands of players. */
    private static final int MAX_CONNECTIONS = 16_384;
    private static final int BACKLOG = 1_024;
    private static final int READ_BUFFER_BYTES = 64 * 1024;

    private final Selector selector;
    private final ByteBuffer readBuffer = ByteBuffer.allocateDirect(READ_BUFFER_BYTES);
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Queue<Wire> toFlush = new ArrayDeque<>();
    private ServerSocketChannel listener;
    private SelectionKey listenerKey;
    private Consumer<Wire> welcome;
    private volatile boolean stopping;

    ProxyLoop() throws IOException {
        selector = Selector.open();
    }

    /**
     * Opens the port.
     *
     * @param welcome assigns an owner to each new connection
     * @return the port; chosen by the system if the port of the address is 0
     * @throws StartException if the address does not belong to this machine or is in use
     */
    int listen(InetSocketAddress address, Consumer<Wire> welcome) throws StartException {
        this.welcome = welcome;
        try {
            listener = ServerSocketChannel.open();
            listener.configureBlocking(false);
            listener.bind(address, BACKLOG);
            listenerKey = listener.register(selector, SelectionKey.OP_ACCEPT);
            return listener.socket().getLocalPort();
        } catch (IOException | RuntimeException e) {
            // Java reports an unknown host name as an unchecked exception.
            throw new StartException("Cannot listen on " + address + ": " + e.getMessage()
                    + ". Perhaps another program uses this port?");
        }
    }

    /**
     * Opens a connection. The owner is notified when the connection is established or has failed.
     *
     * @throws IOException if the connection fails immediately
     */
    Wire connect(InetSocketAddress address, Wire.Owner owner) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            SelectionKey key = channel.register(selector, SelectionKey.OP_CONNECT);
            Wire wire = new Wire(this, channel, key);
            wire.setOwner(owner);
            key.attach(wire);
            if (channel.connect(address)) {
                // A connection to the same machine may be established immediately. The owner is still notified
                // later, as usual.
                key.interestOps(SelectionKey.OP_READ);
                execute(owner::connected);
            }
            return wire;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e instanceof IOException ? (IOException) e : new IOException(e.toString(), e);
        }
    }

    /** Returns the buffer for one read. Data that is needed afterwards must be copied. */
    ByteBuffer readBuffer() {
        return readBuffer.clear();
    }

    /** Schedules the sending of this connection's queued data. It is sent before the loop waits for events again. */
    void flushSoon(Wire wire) {
        toFlush.add(wire);
    }

    /** Runs a task on the proxy thread soon. */
    void execute(Runnable task) {
        tasks.add(task);
        selector.wakeup();
    }

    /** Makes {@link #run} return. */
    void stop() {
        stopping = true;
        selector.wakeup();
    }

    /**
     * Serves connections until stopped.
     *
     * @param farewell disconnects all players
     */
    void run(Runnable farewell) throws IOException {
        long nextTickMs = Clock.nowMs() + TICK_MS;
        while (!stopping) {
            serve(Math.max(1, nextTickMs - Clock.nowMs()));
            long nowMs = Clock.nowMs();
            if (nowMs >= nextTickMs) {
                nextTickMs = nowMs + TICK_MS;
                listenerKey.interestOps(SelectionKey.OP_ACCEPT);
                wires().forEach(wire -> guarded(() -> wire.tick(nowMs), wire));
            }
        }
        listener.close();
        farewell.run();
        long endMs = Clock.nowMs() + FAREWELL_MS;
        for (long restMs = FAREWELL_MS; restMs > 0 && !wires().isEmpty(); restMs = endMs - Clock.nowMs()) {
            serve(restMs);
        }
        wires().forEach(Wire::close);
        selector.close();
    }

    private void serve(long waitMs) throws IOException {
        flushAll();
        selector.select(tasks.isEmpty() ? waitMs : 1);
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            guarded(task, null);
        }
        for (SelectionKey key : selector.selectedKeys()) {
            if (key == listenerKey) {
                accept();
            } else if (key.isValid()) {
                Wire wire = (Wire) key.attachment();
                guarded(wire::ready, wire);
            }
        }
        selector.selectedKeys().clear();
        flushAll();
    }

    private void flushAll() {
        for (Wire wire = toFlush.poll(); wire != null; wire = toFlush.poll()) {
            wire.flush();
        }
    }

    /**
     * Runs a task and catches its exceptions. A bug while serving one player must not stop the proxy for all
     * players.
     */
    private static void guarded(Runnable task, Wire wire) {
        try {
            task.run();
        } catch (RuntimeException | StackOverflowError e) {
            Log.error("Internal error: " + e + " at " + (e.getStackTrace().length > 0 ? e.getStackTrace()[0] : "?"));
            if (wire != null) {
                wire.lose("Internal error");
            }
        }
    }

    private void accept() {
        try {
            for (SocketChannel channel = listener.accept(); channel != null; channel = listener.accept()) {
                if (selector.keys().size() > MAX_CONNECTIONS) {
                    channel.close();
                    return;
                }
                channel.configureBlocking(false);
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
                Wire wire = new Wire(this, channel, key);
                key.attach(wire);
                welcome.accept(wire);
            }
        } catch (IOException e) {
            // Probably all file descriptors are in use. Until the next tick no connections are accepted, because
            // the loop would otherwise repeat the failing call without a pause.
            Log.warn("Could not accept a connection: " + e.getMessage());
            listenerKey.interestOps(0);
        }
    }

    private List<Wire> wires() {
        return selector.keys().stream()
                .filter(SelectionKey::isValid)
                .map(key -> (Wire) key.attachment())
                .filter(wire -> wire != null)
                .collect(Collectors.toList());
    }
}
