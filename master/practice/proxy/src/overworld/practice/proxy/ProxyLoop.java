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
 * The proxy thread's loop: takes connections, makes them, serves all sockets without blocking, runs tasks, keeps
 * deadlines. All state of players is touched by this one thread only. Others may call {@link #execute} and {@link #stop}.
 */
final class ProxyLoop {
    private static final long TICK_MS = 1_000;
    private static final long FAREWELL_MS = 2_000;
    /** Both sides of thousands of players. */
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
     * @param welcome gives each new connection its owner
     * @return the port, chosen by the system if the address leaves it open
     * @throws StartException when the address is not ours or taken
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
            // An unknown host name surfaces as an unchecked exception.
            throw new StartException("Cannot listen on " + address + ": " + e.getMessage()
                    + ". Perhaps another program uses this port?");
        }
    }

    /**
     * Opens a connection; its owner hears when it stands or fails.
     *
     * @throws IOException when it fails at once
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
                // At once, as it may be on loopback: the owner hears of it as it would later.
                key.interestOps(SelectionKey.OP_READ);
                execute(owner::connected);
            }
            return wire;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e instanceof IOException ? (IOException) e : new IOException(e.toString(), e);
        }
    }

    /** For one read; what is left in it must be copied. */
    ByteBuffer readBuffer() {
        return readBuffer.clear();
    }

    /** What was sent on this wire goes out before the loop waits again. */
    void flushSoon(Wire wire) {
        toFlush.add(wire);
    }

    /** Runs something on the proxy thread soon. */
    void execute(Runnable task) {
        tasks.add(task);
        selector.wakeup();
    }

    /** Lets {@link #run} end. */
    void stop() {
        stopping = true;
        selector.wakeup();
    }

    /**
     * Serves until stopped.
     *
     * @param farewell sends everybody away
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

    /** A mistake of ours in serving one player must not end the proxy for all. */
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
            // Out of descriptors, most likely. Not listening until the next tick keeps this from spinning.
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
